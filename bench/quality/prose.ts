/** What the page says beside the figures. */
export const prose = {
  spaces: { learnt: 'learnt vectors', hash: '`hash`' },
  head: `# Search quality

How often each kind of search finds what was asked for. \`npm run bench:quality\` writes this page; figures are never typed in.
It starts a Neo4j of its own for each space of vectors, stores each evaluation set in a tenant of its own, and asks over HTTP.

## The sets

All are made from the text that the installed packages carry, and follow from a seed and the lock file. Every question has
exactly one right memory; questions or answers that stand there twice are not asked. No person judged the answers: another
memory may answer a question as well and counts as wrong. So differences tell, absolute figures do not.

The questions of three sets were cut in two before anything was tried: the rules below were chosen with the **tuning** parts,
the **held-out** parts were only asked in whole runs. The fourth, \`summaries\`, was chosen before any tuning to stay **unseen**, from
files of which no other set uses any; it was first asked when the rules were fixed, in the run that wrote this page.

## The vectors

No trained model was at hand. Two spaces stand in for one:

- **learnt vectors**: latent semantic analysis with 256 dimensions, learnt by the bench from the stored texts (not from the
  questions), served by an OpenAI-compatible endpoint on the loopback address. Words that occur in like texts lie near each other,
  identifiers are taken apart. It stands for a weak model of meaning. It does not stand for a sentence-transformer: it
  knows no paraphrase that the texts do not teach, no word order, and weighs rare words higher by itself, which a trained model does not.
- **\`hash\`**: the built-in lexical provider, with its parts of words.

How much the fusion gains with your model on your memories is not told by either; that it does not depend on one kind of
vectors is why there are two.`,
  verdict: `What \`hybrid\` gains over the better one of \`semantic\` and \`keyword\` in each measure: the mean over the questions of the
difference, with its 95 % interval from 2,000 resamplings of the questions. The better one is picked afterwards, measure by measure, which
favours it. An interval that holds 0 is no proof either way.`,
  figures: `Means and 95 % intervals, as above. Answers beyond rank 20 count as not found. *Every word* asks the full-text index for all
words of the question; *plain fusion* joins it with \`semantic\` by reciprocal ranks (k = 60, weights alike).`,
  steps: `What each rule adds, on the tuning parts.`,
  tail: `## What was chosen, and why

- **Words that hold a sentence together are not looked for** (what, did, how, …; the Snowball project's lists with question words
  added, thirteen languages). It helps most where questions are phrased as such, and costs next to nothing where sentences ask.
- **Fusion by how far a hit stands out.** Ranks alone forget how sure a half is: with reciprocal ranks the weaker half pulls the
  better one down, whichever it is, and weights only choose which one suffers (.4 and .6 with k = 1 lose where the vectors are the better
  half). Each half's value is taken above the least of its 20 best, in their standard deviations (distribution-based score
  fusion), so that a clear answer of one half outweighs an undecided other half, with weights alike. It is no gain everywhere: on
  \`neighbours\` and \`headings\` those ranks find as many or a little more in the first ten. A tenth of each part is left to
  the rank (2 / (1 + rank)), which orders what does not stand out. The tuning parts hardly tell 15 from 20 or 30 best, or a share
  of .05 from .2.
- **The mean of two vectors** (the question, and the question without the words of more than a tenth of the tenant's memories). On
  these sets it is within the noise, as both spaces weigh words by themselves. It stays because it was seen to lift conversational
  memories with a small sentence model, where names dominate the vectors, and does no harm here; its price is one more text in the
  same embedding request. It applies to \`hybrid\` alone: the score of \`semantic\` stays the cosine of the query as it is.
- **The \`english\` analyzer** stays: the tables above have it beside Neo4j's default, with the same words.
- **Where it falls short.** With both spaces and on all sets \`hybrid\` is above the plain fusion in recall@10 and nDCG@10, but not always above its better half:
  where one half is far better (\`symbols\` with \`hash\`) the other still costs some first places, and on the unseen set \`keyword\`
  alone has more answers in the first place. What \`hybrid\` adds is in the first ten. Rules that looked for more on the tuning parts
  were not tried after the unseen set had been asked.

English text only: what the rules for other languages are worth is not measured.`,
} as const
