/** The filters of LangGraph: a value, or an object of operators such as `{ $gte: 3 }`, for each field. */
export const passes = (value: unknown, filter: Record<string, unknown>): boolean =>
  isObject(value) && Object.entries(filter).every(([field, wanted]) => isAsWanted(value[field], wanted))

function isAsWanted(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(value) &&
      value.length === wanted.length &&
      wanted.every((each, at) => isAsWanted(value[at], each))
    )
  if (!isObject(wanted)) return value === wanted
  if (!Object.keys(wanted).some(name => name.startsWith('$'))) return passes(value, wanted)
  return Object.entries(wanted).every(([name, bound]) => operatorNamed(name)(value, bound))
}

type Comparison = (value: unknown, bound: unknown) => boolean

const operators: Record<string, Comparison> = {
  $eq: (value, bound) => isEqual(value, bound),
  $ne: (value, bound) => !isEqual(value, bound),
  $gt: ordered((one, other) => one > other),
  $gte: ordered((one, other) => one >= other),
  $lt: ordered((one, other) => one < other),
  $lte: ordered((one, other) => one <= other),
  $in: (value, options) => Array.isArray(options) && options.some(each => isEqual(value, each)),
  $nin: (value, options) => !(Array.isArray(options) && options.some(each => isEqual(value, each))),
}

function operatorNamed(name: string): Comparison {
  const found = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (!found)
    throw new Error(`Unsupported operator: ${name}. Use one of: ${Object.keys(operators).join(', ')}.`)
  return found
}

/** As numbers if both can be read as such, then as times, then as texts. */
function ordered(compare: (one: number | string, other: number | string) => boolean): Comparison {
  return (value, bound) => {
    for (const read of [numberOf, timeOf, textOf]) {
      const [one, other] = [read(value), read(bound)]
      if (one !== undefined && other !== undefined) return compare(one, other)
    }
    return false
  }
}

const numberOf = (value: unknown) =>
  value === null || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value)
const timeOf = (value: unknown) =>
  typeof value !== 'string' || Number.isNaN(Date.parse(value)) ? undefined : Date.parse(value)
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
