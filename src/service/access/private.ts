import type { Context } from '../../context.ts'
import { ownerOf, privateTenant } from '../../contract/private.ts'

/** The same request in the shared memories alone. */
export const inShared = (ctx: Context): Context => ({ ...ctx, owner: undefined })

/** The same request in the private memories of its owner alone. */
export const inPrivate = (ctx: Context): Context =>
  ctx.owner === undefined ? ctx : { ...ctx, tenant: privateTenant(ctx.tenant, ctx.owner), owner: undefined }

/** The tenants in which a request acts, each as a request of its own: the shared memories first. */
export const partsOf = (ctx: Context): Context[] =>
  ctx.owner === undefined ? [ctx] : [inShared(ctx), inPrivate(ctx)]

/** Their names. */
export const tenantsOf = (ctx: Context): string[] => partsOf(ctx).map(({ tenant }) => tenant)

type Owned = { readonly owner: string | null }

/** In which of `partsOf` a memory is. */
export const partOf = (ctx: Context, { owner }: Owned): number =>
  ctx.owner === undefined || owner === null ? 0 : 1

/** Reads something of memories, of each part its own. */
export function inEachPart<Each extends Owned, Result>(
  ctx: Context,
  memories: readonly Each[],
  read: (part: Context, own: Each[]) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(
    partsOf(ctx).map((part, at) =>
      read(
        part,
        memories.filter(memory => partOf(ctx, memory) === at),
      ),
    ),
  )
}

/** Whose private memories a request can use; null if it uses shared ones alone. */
export const ownerIn = ({ tenant, owner }: Pick<Context, 'tenant' | 'owner'>): string | null =>
  owner ?? ownerOf(tenant) ?? null
