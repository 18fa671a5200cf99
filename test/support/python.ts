import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, renameSync } from 'node:fs'
import { resolve } from 'node:path'
import { python } from '../../tools/python.ts'

/** A Python that has these packages; else why there is none. */
export function pythonWith(...packages: string[]): { python?: string; reason?: string } {
  try {
    return { python: python(packages) }
  } catch (error) {
    return { reason: `Packages of Python cannot be installed: ${(error as Error).message.split('\n')[0]}` }
  }
}

export const pythonWithNetworkx = () => pythonWith('networkx==3.6.1')

/** The libraries that the Python client has adapters for, with their own tests of adapters. */
export const adapterPackages = [
  'hatchling==1.33.0',
  'httpx==0.28.1',
  'httpx-sse==0.4.3',
  'langchain-core==1.2.31',
  'langchain-tests==1.1.6',
  'langgraph==1.1.6',
  'langgraph-checkpoint==4.3.2',
  'llama-index-core==0.14.25',
  'mypy==2.4.1',
  'pytest==9.2.0',
  'pytest-asyncio==1.5.0',
  'pytest-mock==3.15.1',
] as const

/** What reads a graph for analysis, and what runs a notebook. */
export const analysisPackages = [
  'httpx==0.28.1',
  'httpx-sse==0.4.3',
  'ipykernel',
  'matplotlib',
  'nbclient',
  'nbformat',
  'networkx==3.6.1',
  'numpy',
  'pandas',
  'polars',
  'scipy',
  'pytest==9.2.0',
  'pytest-asyncio==1.5.0',
] as const

/** The folder of a package as its authors publish it, with its tests. It is kept next to the packages of this Python. */
export function sourceOf(program: string, requirement: string): string {
  const folder = resolve(program, '..', '..', `source-${requirement}`)
  if (!existsSync(folder)) {
    const fresh = mkdtempSync(`${folder}-`)
    const words = [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--no-binary',
      ':all:',
      '--no-build-isolation',
    ]
    execFileSync(program, [...words, '--dest', fresh, requirement], { stdio: 'pipe' })
    const [archive] = readdirSync(fresh)
    execFileSync('tar', ['xzf', archive as string, '--strip-components=1'], { cwd: fresh, stdio: 'pipe' })
    renameSync(fresh, folder)
  }
  return folder
}
