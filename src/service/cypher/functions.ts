import { connection, eitherOf, isPlain, itemOf, type Kind, listKind, nodeOf, plainKind } from './kinds.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/**
 * The functions of Neo4j that compute from plain values alone. Whatever names an internal id, reads a file or tells of the
 * server is missing.
 */
const ofPlainValues = words(
  `abs acos asin atan atan2 avg btrim ceil char_length character_length cos cosh cot coth
  date date.realtime date.statement date.transaction date.truncate datetime datetime.fromepoch datetime.fromepochmillis
  datetime.realtime datetime.statement datetime.transaction datetime.truncate degrees duration duration.between duration.indays
  duration.inmonths duration.inseconds e exp floor format haversin isnan left
  localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate
  localtime localtime.realtime localtime.statement localtime.transaction localtime.truncate log log10 lower ltrim
  percentilecont percentiledisc pi point point.distance point.withinbbox radians rand randomuuid range
  replace right round rtrim sign sin sinh split sqrt stdev stdevp
  substring sum tan tanh time time.realtime time.statement time.transaction time.truncate timestamp toboolean
  tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger tointegerlist tointegerornull tolower tostring
  tostringlist tostringornull toupper trim upper`,
)

/** Those whose value is plain, whatever they are given. */
const toPlainValues = words('count size isempty length')

export const aggregating = words('avg collect count max min percentilecont percentiledisc stdev stdevp sum')

/** Those that show what a memory or a connection has: they are written in another way. */
export const showing = words('keys labels properties')

const ofOthers: Readonly<Record<string, (given: readonly Kind[]) => Kind | undefined>> = {
  coalesce: eitherOf,
  nullif: ([first]) => first,
  min: ([first]) => first,
  max: ([first]) => first,
  head: ([list]) => list && itemOf(list),
  last: ([list]) => list && itemOf(list),
  tail: ([list]) => list && listKind(itemOf(list)),
  reverse: ([list]) => list && (list.is === 'list' ? list : isPlain(list) ? plainKind : undefined),
  collect: ([item]) => item && listKind(item),
  nodes: ([path]) => (path?.is === 'path' ? listKind(nodeOf('Memory')) : undefined),
  relationships: ([path]) => (path?.is === 'path' ? listKind(connection) : undefined),
  startnode: ([given]) => (given?.is === 'connection' ? nodeOf('Memory') : undefined),
  endnode: ([given]) => (given?.is === 'connection' ? nodeOf('Memory') : undefined),
  type: ([given]) => (given?.is === 'connection' ? plainKind : undefined),
}

/** What a function returns; undefined where it is not allowed, or not of these. */
export function returned(name: string, given: readonly Kind[]): Kind | undefined {
  if (Object.hasOwn(ofOthers, name)) return ofOthers[name]?.(given)
  if (toPlainValues.has(name)) return plainKind
  return ofPlainValues.has(name) && given.every(isPlain) ? plainKind : undefined
}

export const isFunction = (name: string) =>
  [ofPlainValues, toPlainValues, showing].some(each => each.has(name)) || Object.hasOwn(ofOthers, name)
