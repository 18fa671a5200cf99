import { lazy, Suspense } from 'react'
import { Plain } from './plain.tsx'

/** Loaded for a memory with code alone. */
const Highlighted = lazy(async () => ({ default: (await import('./highlighted.tsx')).Highlighted }))

/** Code that names its language. */
const CODE = /^ {0,3}(?:```|~~~) ?\w/m

export const Reading = ({ text }: { text: string }) => (
  <div className="content">
    {CODE.test(text) ? (
      <Suspense fallback={<Plain text={text} />}>
        <Highlighted text={text} />
      </Suspense>
    ) : (
      <Plain text={text} />
    )}
  </div>
)
