import type { Context } from '../../context.ts'
import type { Found } from './hits.ts'

/** So many results, and so many characters of each, the model reads: its time grows with both. */
const RERANKED = { results: 50, characters: 4_000 }

/**
 * Lets the reranking model order the best results again; those below them follow as they were. Without an answer in
 * time the order stays, and the search is degraded.
 */
export async function reranked(
  ctx: Context,
  results: readonly Found[],
  query: string,
): Promise<{ results: Found[]; degraded: boolean }> {
  const best = results.slice(0, RERANKED.results)
  if (best.length === 0) return { results: [], degraded: false }
  const texts = best.map(({ memory }) => memory.content.slice(0, RERANKED.characters))
  const scores = await scoresOf(ctx, query, texts).catch(error => {
    ctx.log.warn({ error: String(error) }, 'a search was not reranked')
  })
  if (!scores) return { results: [...results], degraded: true }
  const scored = best.map((result, at) => withScore(result, scores[at] ?? 0))
  return {
    results: [
      ...scored.sort((a, b) => b.score - a.score).map(({ result }) => result),
      ...results.slice(best.length),
    ],
    degraded: false,
  }
}

function scoresOf({ app: { reranker, neo4j }, signal }: Context, query: string, texts: readonly string[]) {
  if (!reranker) return Promise.resolve(undefined)
  const call = () => reranker.score(query, texts, signal)
  const attributes = { 'mnemograph.texts': texts.length }
  return neo4j.tracing?.part({ name: 'rerank', kind: 'client', attributes }, call) ?? call()
}

const withScore = (result: Found, score: number) => ({
  score,
  result: { ...result, explain: result.explain && { ...result.explain, rerank: score } },
})
