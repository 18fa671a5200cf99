import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { computeChange } from '../../src/service/lifecycle/compute.ts'
import { BIRTH, builtIn, DAY, somePolicy, someRow } from '../support/lifecycle.ts'

const document = readFileSync(new URL('../../docs/explanation/lifecycle.md', import.meta.url), 'utf8')
const recalls = [4, 9, 10.5].map(day => BIRTH + day * DAY)

const partOf = (name: string) =>
  new RegExp(`<!-- ${name} -->\\n(.*?)\\n<!-- /${name} -->`, 's').exec(document)?.[1] ?? ''

test('the worked example of docs/explanation/lifecycle.md is what the code computes', () => {
  const rows = partOf('example').split('\n').slice(2)
  expect(rows).toHaveLength(6)
  for (const row of rows) {
    const day = Number(row.split('|')[1])
    const end = BIRTH + day * DAY
    const memory = someRow({ importance: 0.8, recalls: recalls.filter(recall => recall <= end) })
    const { state, policy, health, importance } = computeChange(memory, builtIn, end)?.after ?? memory
    const cells = [day, state, policy, health, Math.round(importance * 1000) / 1000]
    expect(row).toBe(`| ${cells.join(' | ')} |`)
  }
})

test('docs/explanation/lifecycle.md lists how long a memory lives under each built-in policy', () => {
  const rows = partOf('lifetimes').split('\n').slice(2)
  expect(rows).toHaveLength(builtIn.size)
  for (const [at, policy] of [...builtIn.values()].entries()) {
    const { name, health_decay, recall_boost, archive_at_health, remove_after_seconds } = policy
    const lives = archive_at_health !== null
    const cells = [
      `\`${name}\``,
      lives ? `after ${100 / health_decay} days` : 'never',
      lives ? `${recall_boost / health_decay} days` : '–',
      remove_after_seconds === null ? 'never' : `after ${remove_after_seconds / 86_400} days`,
    ]
    expect(rows[at]).toContain(`| ${cells.join(' | ')} |`)
    const memory = someRow({ policy: name })
    const end = BIRTH + (lives ? (100 / health_decay) * DAY : 3650 * DAY)
    expect(computeChange(memory, builtIn, end - 1)?.change).not.toBe('archive')
    expect(computeChange(memory, builtIn, end)?.change).toBe(lives ? 'archive' : undefined)
  }
})

test('never recalled, it is archived at its end on day 12.5, not before', () => {
  const memory = someRow()
  expect(computeChange(memory, builtIn, BIRTH + 12.5 * DAY - 1)).toMatchObject({
    change: 'decay',
    after: { health: 4 },
  })
  expect(computeChange(memory, builtIn, BIRTH + 12.5 * DAY)).toMatchObject({
    change: 'archive',
    rule: 'short_term.archive_at_health',
    after: { health: 0, archivedAt: BIRTH + 12.5 * DAY },
  })
})

test('an archived memory is removed when its time is over, not before', () => {
  const memory = someRow({ state: 'archived', archivedAt: BIRTH, maintainedAt: BIRTH })
  expect(computeChange(memory, builtIn, BIRTH + 30 * DAY - 1)).toBeUndefined()
  expect(computeChange(memory, builtIn, BIRTH + 30 * DAY)).toMatchObject({ change: 'remove' })
})

test('an archived long_term memory is never removed', () => {
  const memory = someRow({
    policy: 'long_term',
    state: 'archived',
    archivedAt: BIRTH,
    maintainedAt: BIRTH,
    importanceSince: BIRTH,
  })
  expect(computeChange(memory, builtIn, BIRTH + 3650 * DAY)).toBeUndefined()
})

test('a time limit ends a memory whatever its health, and one that has a limit is never pinned', () => {
  const limited = someRow({ expiresAt: BIRTH + DAY / 2, recalls: [BIRTH + 1] })
  expect(computeChange(limited, builtIn, BIRTH + DAY / 2 - 1)).toMatchObject({ change: 'recall' })
  expect(computeChange(limited, builtIn, BIRTH + DAY / 2)).toMatchObject({
    change: 'archive',
    rule: 'ttl_seconds',
  })
  const short = somePolicy('short_term', { promote_to: 'pinned', promote_at_recalls: 1 })
  const pinning = new Map(builtIn).set('short_term', short)
  expect(computeChange(limited, pinning, BIRTH + 2)).toMatchObject({
    change: 'recall',
    after: { policy: 'short_term' },
  })
  expect(computeChange({ ...limited, expiresAt: null }, pinning, BIRTH + 2)).toMatchObject({
    after: { policy: 'pinned' },
  })
})
