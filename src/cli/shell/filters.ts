import { given, listOf, numberOf, type Option, oneOf, pairsOf, UsageError } from './command.ts'

/** Which memories are meant; the same for every command that chooses some. */
export const filterOptions = {
  tags: { value: 'A,B', short: 't', describe: 'Only memories with all of these tags' },
  'tags-match': { value: 'HOW', describe: 'all, any or none of the tags (default: all)' },
  policy: { value: 'NAME', short: 'p', describe: 'Only memories of this policy' },
  source: { value: 'NAME', describe: 'Only memories with exactly this source' },
  session: { value: 'NAME', describe: 'Only memories of this session' },
  meta: { value: 'NAME=VALUE', many: true, describe: 'Only memories with this metadata; may be repeated' },
  'min-importance': { value: 'X', describe: 'Only memories of at least this importance, 0 to 1' },
  after: {
    value: 'TIME',
    describe: 'Only memories created at or after this time or day (UTC unless it has a zone)',
  },
  before: { value: 'TIME', describe: 'Only memories created before this time or day' },
} as const satisfies Record<string, Option>

type Values = {
  [Name in keyof typeof filterOptions]?: (typeof filterOptions)[Name] extends { many: true }
    ? string[]
    : string
}

const MATCHES = ['all', 'any', 'none'] as const

/** The filters as the contract has them. @throws UsageError */
export function filtersOf(values: Values) {
  const tags = listOf(values.tags)
  if (values.tags !== undefined && tags.length === 0) throw new UsageError('--tags names no tag')
  return given({
    tags: tags.length > 0 ? tags : undefined,
    tags_match: oneOf(MATCHES, values['tags-match'], '--tags-match'),
    policy: values.policy,
    source: values.source,
    session_id: values.session,
    metadata: pairsOf(values.meta, '--meta'),
    min_importance: numberOf(values['min-importance'], '--min-importance'),
    created_after: values.after,
    created_before: values.before,
  })
}
