import { z } from 'zod'

/** A kind with its default, and what the documents say of the setting. */
export const setting = <Kind extends z.ZodType>(kind: Kind, description: string): Kind =>
  kind.describe(description)

export const nonEmpty = () => z.string().min(1)

/** A comma-separated list, empty by default. */
export const commaList = (each: z.ZodType<string, string> = z.string()) =>
  z
    .string()
    .optional()
    .transform(text => (text ?? '').split(',').flatMap(name => name.trim() || []))
    .pipe(z.array(each))

/** A key, which is often read from a file that ends in a line break. */
export function secret() {
  return z
    .string()
    .trim()
    .regex(
      /^[\x21-\x7e]+$/,
      'must contain only printable ASCII characters without spaces, because it is sent in a header',
    )
}

export function httpAddress() {
  return z.url({ protocol: /^https?$/, error: 'must be an http or https address' })
}

/** An integer from text of digits. `1e3`, `0x10` and blanks are refused. */
export function integer(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^-?\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
}

export function number(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^-?\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
}
