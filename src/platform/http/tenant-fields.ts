import { Type } from 'typebox'

/**
 * Which data a route works on; determines whether its handler has a `directory`, a `reach` or an `account`.
 * - `one` (default): one directory. An org-wide key names it by `subOrgId`, which a write requires and a read may
 *   leave out to mean the account-level directory.
 * - `one-or-account`: the same, but a write without `subOrgId` means the account-level directory too.
 * - `one-or-environment`: a write that an org-wide key makes for one organization, named by `subOrgId`, or for the whole
 *   environment, named by `scope: "environment"`. One of the two is required.
 * - `reach`: a read of one directory, or, with an org-wide key, of the whole environment.
 * - `account`: organizations, environments and keys, which belong to the account.
 */
export type DirectoryMode = 'one' | 'one-or-account' | 'one-or-environment' | 'reach' | 'account'

// What it means depends on the route: the document says it (`openapi-parameters.ts`).
const subOrgId = Type.Optional(Type.String({ description: 'Organization.' }))
const wholeEnvironment = Type.Optional(
  Type.Enum(['environment'], { description: 'The whole environment, instead of subOrgId. Requires an org-wide key.' }),
)

/** The fields of query and body that name the tenant of a route. */
export const tenantFields = (directory: DirectoryMode | undefined) => ({
  subOrgId,
  ...(directory === 'one-or-environment' ? { scope: wholeEnvironment } : {}),
})
