import { UsageError } from '../shell/command.ts'

/** How an import goes about what is there already. @throws UsageError for a value that is not known */
export function importOptionsOf({
  replace,
  'on-duplicate': given,
}: {
  replace?: boolean
  'on-duplicate'?: string
}) {
  const on_duplicate = given ?? (replace ? 'store' : 'return')
  if (on_duplicate !== 'store' && on_duplicate !== 'return')
    throw new UsageError('--on-duplicate is store or return')
  if (replace && on_duplicate === 'return')
    throw new UsageError('With --replace, --on-duplicate must be store')
  return { mode: replace ? ('replace' as const) : ('merge' as const), on_duplicate } as const
}
