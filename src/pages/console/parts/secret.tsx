import { useAct } from '../data/acting.ts'

/** A secret that no other answer contains, with a button to copy it. */
export function Secret({ secret }: { secret: string }) {
  const act = useAct()
  if (secret === '') return null
  return (
    <p className="secret" role="status">
      It is shown this once: <code>{secret}</code>{' '}
      <button type="button" onClick={() => act('Copied.', () => navigator.clipboard.writeText(secret))}>
        Copy
      </button>
    </p>
  )
}
