import { type LucideIcon, X } from 'lucide-react'
import { Dialog, DropdownMenu, Popover, Tooltip } from 'radix-ui'
import type { ButtonHTMLAttributes, ReactNode } from 'react'

/** What an icon means, for those who point at it. */
export const Tip = ({ label, children }: { label: string; children: ReactNode }) => (
  <Tooltip.Root>
    <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
    <Tooltip.Portal>
      <Tooltip.Content className="tip" sideOffset={6} collisionPadding={8}>
        {label}
      </Tooltip.Content>
    </Tooltip.Portal>
  </Tooltip.Root>
)

type IconButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { label: string; icon: LucideIcon }

/** A button that is only an icon; its name is read aloud, and shown to those who point at it. */
export const IconButton = ({ label, icon: Icon, ...rest }: IconButtonProps) => (
  <Tip label={label}>
    <button type="button" className="quiet icon" aria-label={label} {...rest}>
      <Icon size={16} aria-hidden />
    </button>
  </Tip>
)

type ModalProps = {
  title: string
  open: boolean
  change: (open: boolean) => void
  children: ReactNode
  isPalette?: boolean
}

export const Modal = ({ title, open, change, children, isPalette = false }: ModalProps) => (
  <Dialog.Root open={open} onOpenChange={change}>
    <Dialog.Portal>
      <Dialog.Overlay className="veil" />
      <Dialog.Content className={isPalette ? 'modal palette' : 'modal'} aria-describedby={undefined}>
        {isPalette ? (
          <Dialog.Title className="visually-hidden">{title}</Dialog.Title>
        ) : (
          <header className="actions">
            <Dialog.Title>{title}</Dialog.Title>
            <span className="spring" />
            <Dialog.Close className="quiet icon" aria-label="Close">
              <X size={16} aria-hidden />
            </Dialog.Close>
          </header>
        )}
        {children}
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
)

/** A menu that the trigger opens, within the view as all else that is read; its items are of `Menu` below. */
export const Dropdown = ({ trigger, children }: { trigger: ReactNode; children: ReactNode }) => (
  <DropdownMenu.Root modal={false}>
    <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
    <DropdownMenu.Portal container={document.querySelector('main')}>
      <DropdownMenu.Content className="pop" align="end" sideOffset={6} collisionPadding={8}>
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
)

export const Menu = DropdownMenu

type PopProps = {
  label: string
  trigger: ReactNode
  children: ReactNode
  open?: boolean
  change?: (open: boolean) => void
  isForm?: boolean
}

/** A box that the trigger opens. */
export const Pop = ({ label, trigger, children, open, change, isForm = false }: PopProps) => (
  <Popover.Root
    {...(open === undefined ? {} : { open })}
    {...(change === undefined ? {} : { onOpenChange: change })}
  >
    <Popover.Trigger asChild>{trigger}</Popover.Trigger>
    <Popover.Portal>
      <Popover.Content
        className={isForm ? 'pop form' : 'pop'}
        align="start"
        sideOffset={6}
        collisionPadding={8}
        aria-label={label}
      >
        {children}
      </Popover.Content>
    </Popover.Portal>
  </Popover.Root>
)

/** Stands in a view until its first answer is there. */
export const Loading = () => (
  <p className="page hint" role="status">
    Loading …
  </p>
)

/** What stands where there is nothing yet: what it would be, and the first step. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <strong>{title}</strong>
    {children}
  </div>
)

export const Card = ({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) => (
  <section className="card" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
)

/** Asks before something that cannot be undone. */
export function Confirm({
  title,
  open,
  change,
  act,
  button,
  children,
}: Omit<ModalProps, 'isPalette'> & { act: () => void; button: string }) {
  return (
    <Modal {...{ title, open, change }}>
      {children}
      <p className="actions">
        <button
          type="button"
          className="danger"
          onClick={() => {
            change(false)
            act()
          }}
        >
          {button}
        </button>
        <button type="button" onClick={() => change(false)}>
          Cancel
        </button>
      </p>
    </Modal>
  )
}

type MoreProps = { of: { hasNextPage: boolean; fetchNextPage: () => unknown }; children?: ReactNode }

/** A button for the next page, where there is one. */
export const More = ({ of, children = 'Show more' }: MoreProps) =>
  of.hasNextPage && (
    <p>
      <button type="button" onClick={() => void of.fetchNextPage()}>
        {children}
      </button>
    </p>
  )
