import Markdown, { type Options } from 'react-markdown'

/** Headings of a memory stand below that of the page; pictures would be loaded from elsewhere. */
const components = {
  img: ({ alt }: { alt?: string | undefined }) => <em>{alt}</em>,
  h1: 'h2',
  h2: 'h3',
  h3: 'h4',
} as const

type Props = { text: string; plugins?: Options['rehypePlugins'] }

export const Plain = ({ text, plugins = [] }: Props) => (
  <Markdown skipHtml components={components} rehypePlugins={plugins}>
    {text}
  </Markdown>
)
