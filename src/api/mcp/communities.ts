import type { Community } from '../../contract/communities.ts'

/** What an agent learns of the subjects of its memories. */
export const describeCommunities = ({ communities }: { communities: readonly Community[] }) =>
  communities.length === 0
    ? 'There are no communities yet.'
    : `# What the memories are about

Each community is a group of memories that belong together. Search or list one with the filter \`community\`.

${communities.map(describe).join('\n\n')}
`

const describe = ({ id, name, words, memories, central }: Community) =>
  [
    `## ${onOneLine(name)}`,
    '',
    `community \`${id}\`, ${memories} memories; words: ${words.map(onOneLine).join(', ')}`,
    ...central.map(({ memory_id, title }) => `- ${memory_id}: ${onOneLine(title)}`),
  ].join('\n')

const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ')
