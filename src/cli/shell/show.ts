import type { Memory } from '../../contract/memory.ts'
import { whenSaid } from '../../contract/memory-heading.ts'
import { clip, wrap } from './table.ts'
import type { Terminal } from './terminal.ts'

const INDENT = '        '

/** A memory in three or four lines behind a figure: its first line, the beginning of the rest, its id, who said it and when, and its tags. */
export function showMemory({ paint, width }: Terminal, figure: string, memory: Memory, remark = ''): string {
  const [first = '', ...rest] = memory.content.split('\n')
  const room = width - INDENT.length
  const tags = memory.tags.map(tag => `#${tag}`)
  return [
    `${paint('green', figure.padStart(6))}  ${paint('bold', clip(first, room))}`,
    ...(remark ? [`${INDENT}${paint('cyan', clip(remark, room))}`] : []),
    ...wrap(rest.join(' '), room, 2).map(line => INDENT + line),
    `${INDENT}${paint('dim', clip([memory.id, whenSaid(memory), ...tags].join(' '), room))}`,
  ].join('\n')
}

export const figureOf = (score: number) => score.toFixed(3)
