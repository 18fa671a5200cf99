import type { z } from 'zod'

/** What a field declares, behind its default and its transformations. */
export type Declared = {
  readonly type: string
  /** Whether the number is a whole one. */
  readonly whole: boolean
  readonly isId: boolean
  readonly isOptional: boolean
  readonly schema: z.ZodType
}

type Definition = { type: string; format?: string; innerType?: z.ZodType; in?: z.ZodType }

export function declaredOf(field: z.ZodType): Declared {
  const { type, format, innerType, in: input } = field._zod.def as unknown as Definition
  const inner = innerType ?? input
  if (inner) {
    const declared = declaredOf(inner)
    return { ...declared, isOptional: declared.isOptional || type === 'optional' || type === 'default' }
  }
  const isId = field.meta()?.format === 'uuid'
  return { type, whole: format === 'safeint', isId, isOptional: false, schema: field }
}
