/** The text of the page around its figures. */
export const prose = {
  spaces: { builtin: '`builtin`', trained: 'all-MiniLM-L6-v2', learnt: 'learnt vectors', hash: '`hash`' },
  head: `# Search quality

A \`hybrid\` search fuses the results of \`semantic\` and \`keyword\` by rank ([how](../explanation/search.md#the-hybrid-score)). With the built-in model it finds as much as the better of the two,
or more. One exception: if questions share no word with their answers, \`semantic\` more often has the answer in first place. Use \`hybrid\` with a trained model unless your questions are like that.

\`npm run bench:quality\` writes this page. It starts a Neo4j for each embedding space, stores each evaluation set in a tenant, and searches over HTTP.

## The sets

\`paraphrases\` was written by hand. All other sets are made from the text of the installed packages. Every question has exactly one right memory. No person judged the results: another memory
may also answer a question, and counts as wrong. So compare the figures with each other, and do not read them as absolute.

- \`headings\`, \`symbols\` and \`neighbours\` were each divided in two before any rule was tried. The rules were chosen with the **tuning** parts. The **held-out** parts were used in whole runs only.
- \`summaries\` was **asked once before**. The result of an earlier fusion was known when the present one was designed.
- \`descriptions\` is **unseen**: no rule was chosen with it.
- \`paraphrases\` was **asked before**: the constants of the relevance were chosen with a half of it.

The vectors are those of two providers: \`builtin\`, the default, and the lexical \`hash\`. \`npm run bench:quality -- --all\` adds all-MiniLM-L6-v2 and latent semantic analysis. It needs the package
for local models (about 470 MB). Your model and your memories will give other figures.`,
  verdict: `The table shows how much \`hybrid\` gains over the better of \`semantic\` and \`keyword\` in each measure: the mean difference over the questions, with its 95 % interval
from 2,000 resamplings. The better one is picked afterwards for each measure, which favours it. An interval that contains 0 proves nothing.`,
  figures: `Means with 95 % intervals. *Every word* searches the full-text index for all words of the question. *Plain fusion* joins it
with \`semantic\` by reciprocal ranks (k = 60, equal weights).`,
  relevance: `150 short memories, 76 questions that one of them answers, and 76 about similar things that none answers. Half of the questions were used to choose the constants. AUC is how often the best hit of an answerable
question is more relevant than that of an unanswerable one. *Empty contexts* is the share of unanswerable questions for which \`POST /context\` remembers nothing. *Lost in contexts* is
the share of answers that \`hybrid\` finds and the context leaves out, *hidden in searches* the share that a search leaves out by default. \`node bench/quality/main.ts --relevance\` measures this alone.`,
  tail: `## Limitations

- Ranks do not say how certain a list is. Where one kind of search is far better than the other, it can rank better alone than \`hybrid\`.
- The weights assume a trained model. With weak vectors, \`keyword\` can rank better than \`hybrid\`.
- The sets are in English only.`,
} as const
