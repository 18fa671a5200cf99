import rehypeHighlight from 'rehype-highlight'
import { Plain } from './plain.tsx'

/** The same with its code in colours: classes alone, so that the policy for styles stays strict. */
export const Highlighted = ({ text }: { text: string }) => <Plain text={text} plugins={[rehypeHighlight]} />
