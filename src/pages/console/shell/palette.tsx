import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { FileText, Zap } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { client } from '../data/client.ts'
import { Modal } from '../parts/ui.tsx'
import { firstLine } from '../parts/words.ts'
import { useGo } from './going.ts'
import type { View } from './views.ts'

type Props = {
  open: boolean
  change: (open: boolean) => void
  views: readonly View[]
  actions: readonly { name: string; keys: string; run: () => void }[]
}

/** Goes to a view, finds memories, runs an action. */
export const Palette = ({ open, change, ...rest }: Props) => (
  <Modal title="Find anything" open={open} change={change} isPalette>
    <Choices {...rest} close={() => change(false)} />
  </Modal>
)

const HITS = 6

function Choices({ views, actions, close }: Omit<Props, 'open' | 'change'> & { close: () => void }) {
  const go = useGo()
  const [typed, setTyped] = useState('')
  const query = useDeferredValue(typed.trim())
  const found = useQuery({
    queryKey: ['palette', query],
    queryFn: ({ signal }) =>
      client().searchMemories(
        { query, search_type: 'hybrid', limit: HITS, highlight: true, min_relevance: 'auto' },
        { signal },
      ),
    enabled: query.length > 1,
    placeholderData: before => before,
  })
  const choose = (run: () => void) => () => {
    close()
    run()
  }
  return (
    <Command label="Find anything">
      <Command.Input
        autoFocus
        placeholder="Go to a view, find a memory, do something"
        value={typed}
        onValueChange={setTyped}
      />
      <Command.List>
        <Command.Empty>
          <p className="hint">Nothing matches.</p>
        </Command.Empty>
        <Command.Group heading="Go to">
          {views.map(({ path, name, icon: Icon, keys }) => (
            <Command.Item key={path} value={name} onSelect={choose(() => go(path))}>
              <Icon size={15} aria-hidden /> <span>{name}</span> <kbd>{keys}</kbd>
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group heading="Actions">
          {actions.map(({ name, keys, run }) => (
            <Command.Item key={name} value={name} onSelect={choose(run)}>
              <Zap size={15} aria-hidden /> <span>{name}</span> {keys && <kbd>{keys}</kbd>}
            </Command.Item>
          ))}
        </Command.Group>
        {query.length > 1 && (
          <Command.Group heading="Memories" forceMount>
            {found.data?.results.map(({ memory }) => (
              <Command.Item
                key={memory.id}
                value={memory.id}
                forceMount
                onSelect={choose(() => go(`/memories/${memory.id}`))}
              >
                <FileText size={15} aria-hidden /> <span>{firstLine(memory)}</span>
              </Command.Item>
            ))}
            <Command.Item
              value={`search ${query}`}
              forceMount
              onSelect={choose(() => go(`/memories?q=${encodeURIComponent(query)}`))}
            >
              <span>Search all memories for “{query}”</span>
            </Command.Item>
          </Command.Group>
        )}
      </Command.List>
    </Command>
  )
}
