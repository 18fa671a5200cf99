import { findPackageJSON } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The folder of this package, from its sources and from what is built of them. */
export const packageFolder = new URL('.', pathToFileURL(findPackageJSON(import.meta.url) as string))
