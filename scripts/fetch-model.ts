/** Fetches the English built-in embedding model into this user's cache, where the service looks for it. */
import { readMachine } from '../src/platform/config.ts'
import { ENGLISH } from '../src/platform/embeddings/builtin/description.ts'
import { modelFiles } from '../src/platform/embeddings/builtin/files.ts'

const { weights } = await modelFiles(ENGLISH, readMachine(), line => console.log(line))
console.log(weights)
