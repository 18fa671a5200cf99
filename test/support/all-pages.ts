import { expect } from 'vitest'
import type { Client } from '../../src/client.ts'
import type { Input, Output } from '../../src/contract/index.ts'
import type { Memory } from '../../src/contract/memory.ts'

type Page = Output<'listMemories'>

/** All pages of a list, each held to what every page promises; `between` runs after each. */
export async function allPages(
  client: Client,
  input: Input<'listMemories'>,
  between: (page: Page) => Promise<unknown> | undefined = () => undefined,
): Promise<Memory[]> {
  const found: Memory[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await client.listMemories({ ...input, cursor })
    expect(page.limit).toBe(input.limit ?? 20)
    expect(page.memories.length).toBeLessThanOrEqual(page.limit)
    expect(page.has_more).toBe(page.next_cursor !== null)
    if (page.has_more && !page.truncated) expect(page.memories).toHaveLength(page.limit)
    if (page.truncated) expect(page.memories.length).toBeLessThan(page.limit)
    found.push(...page.memories)
    if (page.next_cursor === null) return found
    cursor = page.next_cursor
    await between(page)
  }
}
