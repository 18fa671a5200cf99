import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findFiles, type SourceFile } from './files.ts'

const ABOUT_THE_CODE = /^docs?$/i
const NO_TEXT_FOR_READERS =
  /(change|history|release|license|licence|contribut|security|conduct|migrat|upgrad)/i

/** The README of every package and what its folder `docs` holds, in the order of the names. */
export async function textsOfPackages(modules: string): Promise<SourceFile[]> {
  const names = (await foldersIn(modules)).filter(name => !name.startsWith('.'))
  const scopes = names.filter(name => name.startsWith('@'))
  const scoped = await Promise.all(
    scopes.map(async scope => (await foldersIn(join(modules, scope))).map(name => `${scope}/${name}`)),
  )
  const packages = [...names.filter(name => !scopes.includes(name)), ...scoped.flat()].sort()
  const files = await Promise.all(packages.map(name => textsOf(modules, name)))
  return files.flat()
}

async function textsOf(modules: string, name: string): Promise<SourceFile[]> {
  const source = `node_modules/${name}`
  const entries = await readdir(join(modules, name))
  const wanted = entries.filter(entry => /^readme\.(md|markdown)$/i.test(entry) || ABOUT_THE_CODE.test(entry))
  const found = await Promise.all(wanted.map(entry => findFiles(join(modules, name, entry), source)))
  return found
    .flat()
    .filter(file => !NO_TEXT_FOR_READERS.test(file.name))
    .map(file => ({ ...file, root: 'node_modules', tags: [name] }))
}

const foldersIn = async (folder: string) =>
  (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
