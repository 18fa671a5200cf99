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
