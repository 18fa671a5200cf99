import type { PackedModel } from './packed.ts'

/** The vocabulary as a `tokenizer.json` of Hugging Face, as XLM-RoBERTa has it. */
export function toTokenizer({ pieces, marks }: PackedModel): string {
  const { start, end, padding, unknown } = marks
  const piece = (id: number) => pieces[id]?.[0] ?? ''
  const special = (id: number) => ({
    ...{ id, content: piece(id), special: true },
    ...{ single_word: false, lstrip: false, rstrip: false, normalized: false },
  })
  const mark = (id: number) => ({ SpecialToken: { id: piece(id), type_id: 0 } })
  const known = (id: number) => [piece(id), { id: piece(id), ids: [id], tokens: [piece(id)] }]
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [start, padding, end, unknown].map(special),
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Precompiled', precompiled_charsmap: null },
        { type: 'Replace', pattern: { Regex: ' {2,}' }, content: ' ' },
      ],
    },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [mark(start), { Sequence: { id: 'A', type_id: 0 } }, mark(end)],
      pair: [],
      special_tokens: Object.fromEntries([start, end].map(known)),
    },
    decoder: { type: 'Metaspace', replacement: '▁', add_prefix_space: true, prepend_scheme: 'always' },
    model: { type: 'Unigram', unk_id: unknown, vocab: pieces, byte_fallback: false },
  })
}
