/** Graphs whose communities are known. */

export type Planted = {
  /** The community of each memory, by its place. */
  communities: readonly number[]
  edges: readonly (readonly [number, number])[]
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator). */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

/** Groups of the given sizes: each memory has about `inside` connections within its group and `outside` with others. */
export function plant(sizes: readonly number[], inside: number, outside: number, seed: number): Planted {
  const random = numbersFrom(seed)
  const communities = sizes.flatMap((size, group) => Array.from({ length: size }, () => group))
  const starts = sizes.map((_, at) => sizes.slice(0, at).reduce((sum, size) => sum + size, 0))
  const edges = communities.flatMap((group, from) => {
    const start = starts[group] as number
    const within = draw(inside / 2, () => start + Math.floor(random() * (sizes[group] as number)))
    const beyond = draw(outside / 2, () => Math.floor(random() * communities.length))
    return [...within, ...beyond].filter(to => to !== from).map(to => [from, to] as const)
  })
  return { communities, edges: [...new Map(edges.map(edge => [edge.join(' '), edge])).values()] }

  function draw(mean: number, one: () => number): number[] {
    return Array.from({ length: Math.floor(mean) + (random() < mean % 1 ? 1 : 0) }, one)
  }
}

/** Normalised mutual information of two divisions of the same things, by the mean of their entropies: 1 if they are the same. */
export function mutualInformation(one: readonly unknown[], other: readonly unknown[]): number {
  const [h1, h2] = [entropy(one), entropy(other)]
  const both = entropy(one.map((each, at) => JSON.stringify([each, other[at]])))
  return h1 + h2 === 0 ? 1 : (2 * (h1 + h2 - both)) / (h1 + h2)
}

function entropy(values: readonly unknown[]): number {
  const groups = Map.groupBy(values, each => each)
  return [...groups.values()].reduce((sum, { length }) => {
    const share = length / values.length
    return sum - share * Math.log(share)
  }, 0)
}
