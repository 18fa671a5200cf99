import { given, listOf, numberOf, type Option, oneOf, pairsOf, UsageError } from './command.ts'

/** Which memories are meant; the same for every command that chooses some. */
export const filterOptions = {
  tags: { value: 'A,B', short: 't', describe: 'Only memories with all of these tags' },
  'tags-match': { value: 'HOW', describe: 'all, any or none of the tags (default: all)' },
  policy: { value: 'NAME', short: 'p', describe: 'Only memories of this policy' },
  source: { value: 'NAME', describe: 'Only memories with exactly this source' },
  session: { value: 'NAME', describe: 'Only memories of this session' },
  kind: { value: 'NAME', short: 'k', describe: 'Only memories of this kind' },
  meta: { value: 'NAME=VALUE', many: true, describe: 'Only memories with this metadata; may be repeated' },
  'min-importance': { value: 'X', describe: 'Only memories of at least this importance, 0 to 1' },
  any: {
    value: 'JSON',
    many: true,
    describe: 'Only memories that match this or another --any, for example {"tags":["a"]}; may be repeated',
  },
  none: { value: 'JSON', many: true, describe: 'Only memories that do not match this; may be repeated' },
  'valid-at': { value: 'TIME', describe: 'Only memories that hold at this time, or now, or any' },
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
    kind: values.kind,
    metadata: pairsOf(values.meta, '--meta'),
    any: filtersIn(values.any, '--any'),
    none: filtersIn(values.none, '--none'),
    valid_at: values['valid-at'],
    min_importance: numberOf(values['min-importance'], '--min-importance'),
    created_after: values.after,
    created_before: values.before,
  })
}

/** @throws UsageError */
const filtersIn = (texts: readonly string[] | undefined, name: string) =>
  texts?.map(text => {
    try {
      return JSON.parse(text) as object
    } catch {
      throw new UsageError(`${name} must be JSON, for example '{"tags":["a"]}'`)
    }
  })
