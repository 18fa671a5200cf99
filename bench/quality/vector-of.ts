import type { Model } from '../../src/platform/embeddings/builtin/inference.ts'
import type { TextKind } from '../../src/platform/embeddings/embedder.ts'

/** The vector that a model of the service makes of a whole text. */
export async function vectorOf(
  model: Model,
  text: string,
  kind: TextKind = 'document',
): Promise<Float32Array> {
  const task = model.begin(kind, text)
  for (;;) {
    const embedding = await task.step()
    if (embedding) return embedding.vector
  }
}
