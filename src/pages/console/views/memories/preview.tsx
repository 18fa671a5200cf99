import { Link } from 'wouter'
import type { Found } from '../../data/finding.ts'
import { Reading } from '../../parts/markdown.tsx'
import { firstLine, shortTime } from '../../parts/words.ts'

/** The memory that the arrow keys are on, next to the list. */
export function Preview({ found: { memory, relevance, text } }: { found: Found }) {
  return (
    <section className="preview" aria-label="Preview">
      <p className="actions">
        <span className="hint">
          {memory.policy} · {shortTime(memory.created_at)}
          {memory.owner !== null && ` · private to ${memory.owner}`}
        </span>
        <span className="spring" />
        <Link href={`/memories/${memory.id}`} className="button" aria-label={`Open ${firstLine(memory)}`}>
          Open
        </Link>
      </p>
      {relevance !== undefined && text !== '' && text !== memory.content && (
        <p className="marked">
          <span className="visually-hidden">What matched: </span>
          {text}
        </p>
      )}
      <Reading text={memory.content} />
      <p className="chips">
        {memory.tags.map(tag => (
          <Link key={tag} className="tag" href={`/memories?tags=${encodeURIComponent(tag)}`}>
            {tag}
          </Link>
        ))}
      </p>
    </section>
  )
}
