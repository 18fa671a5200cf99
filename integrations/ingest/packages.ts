import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findFiles, type SourceFile } from './files.ts'

const ABOUT_THE_CODE = /^docs?$/i
const NO_TEXT_FOR_READERS =
  /(change|history|release|license|licence|contribut|security|conduct|migrat|upgrad)/i

/**
 * The folders of packages that belong to an installation: the one in it, and the one that it lies in where it is a
 * package among others.
 */
export const modulesOf = (root: string): string[] => [
  join(root, 'node_modules'),
  ...(basename(dirname(root)) === 'node_modules' ? [dirname(root)] : []),
]

/** The README of every package in these folders and what its folder `docs` holds, in the order of the names. */
export async function textsOfPackages(folders: readonly string[]): Promise<SourceFile[]> {
  const found = await Promise.all(
    folders.map(async folder => (await namesIn(folder)).map(name => ({ folder, name }))),
  )
  const packages = new Map(found.flat().map(each => [each.name, each]))
  const sorted = [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = await Promise.all(sorted.map(({ folder, name }) => textsOf(folder, name)))
  return files.flat()
}

async function namesIn(modules: string): Promise<string[]> {
  const names = (await foldersIn(modules)).filter(name => !name.startsWith('.'))
  const scopes = names.filter(name => name.startsWith('@'))
  const scoped = await Promise.all(
    scopes.map(async scope => (await foldersIn(join(modules, scope))).map(name => `${scope}/${name}`)),
  )
  return [...names.filter(name => !scopes.includes(name)), ...scoped.flat()]
}

async function textsOf(modules: string, name: string): Promise<SourceFile[]> {
  const source = `node_modules/${name}`
  const entries = await readdir(join(modules, name)).catch(() => [])
  const wanted = entries.filter(entry => /^readme\.(md|markdown)$/i.test(entry) || ABOUT_THE_CODE.test(entry))
  const found = await Promise.all(wanted.map(entry => findFiles(join(modules, name, entry), source)))
  return found
    .flatMap(({ files }) => files)
    .filter(file => !NO_TEXT_FOR_READERS.test(file.name))
    .map(file => ({ ...file, root: 'node_modules', tags: [name] }))
}

/** Package managers put links to folders too. */
const foldersIn = async (folder: string) =>
  (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter(entry => entry.isDirectory() || entry.isSymbolicLink())
    .map(entry => entry.name)
