import Markdown from 'react-markdown'

/** Headings of a memory stand below that of the page; pictures would be loaded from elsewhere. */
const components = {
  img: ({ alt }: { alt?: string | undefined }) => <em>{alt}</em>,
  h1: 'h2',
  h2: 'h3',
  h3: 'h4',
} as const

export const Reading = ({ text }: { text: string }) => (
  <div className="content">
    <Markdown skipHtml components={components}>
      {text}
    </Markdown>
  </div>
)
