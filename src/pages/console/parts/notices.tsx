import { X } from 'lucide-react'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { wordsOf } from '../data/client.ts'

type Notice = { id: number; text: string; isError: boolean; undo: (() => Promise<unknown>) | undefined }
type Tell = (text: string, undo?: () => Promise<unknown>) => void

const Context = createContext<{ tell: Tell; complain: (error: unknown) => void }>({
  tell: () => {},
  complain: () => {},
})

export const useNotices = () => useContext(Context)

const SHOWN_MS = 12_000
let last = 0

/** Says what was done, for a while, with a button that takes it back where that is possible. */
export function Notices({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const remove = useCallback((id: number) => setNotices(all => all.filter(each => each.id !== id)), [])
  const add = useCallback(
    (notice: Omit<Notice, 'id'>) => {
      const id = ++last
      setNotices(all => [...all.slice(-3), { ...notice, id }])
      setTimeout(() => remove(id), SHOWN_MS)
    },
    [remove],
  )
  const tell = useCallback<Tell>((text, undo) => add({ text, undo, isError: false }), [add])
  const complain = useCallback(
    (error: unknown) => add({ text: wordsOf(error), undo: undefined, isError: true }),
    [add],
  )
  return (
    <Context value={{ tell, complain }}>
      {children}
      <div className="notices" role="status" aria-live="polite">
        {notices.map(({ id, text, isError, undo }) => (
          <p key={id} className={isError ? 'notice error' : 'notice'}>
            <span>{text}</span>
            {undo && (
              <button
                type="button"
                onClick={() => {
                  remove(id)
                  undo().catch(complain)
                }}
              >
                Undo
              </button>
            )}
            <button type="button" className="quiet icon" aria-label="Dismiss" onClick={() => remove(id)}>
              <X size={14} aria-hidden />
            </button>
          </p>
        ))}
      </div>
    </Context>
  )
}
