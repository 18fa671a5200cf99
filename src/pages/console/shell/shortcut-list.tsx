import { shortcutsNow } from '../parts/shortcuts.ts'
import { Modal } from '../parts/ui.tsx'

/** The shortcuts of the view that is shown. */
export const ShortcutList = ({ open, close }: { open: boolean; close: () => void }) => (
  <Modal title="Shortcuts" open={open} change={close}>
    <dl className="shortcuts">
      {shortcutsNow().map(({ keys, name }) => (
        <div key={`${keys} ${name}`} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>
            {keys.split(' ').map(key => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </Modal>
)
