import { Type } from 'typebox'

/**
 * The data that a route works on. It determines whether the handler has a `directory`, a `reach` or an `account`.
 * - `one` (default): one directory. An org-wide key names it with `subOrgId`. Writes require `subOrgId`. For reads
 * without it, the account-level directory is used.
 * - `one-or-account`: the same, but writes without `subOrgId` use the account-level directory too.
 * - `one-or-environment`: a write that an org-wide key makes either for one organization, named by `subOrgId`, or for
 * the whole environment, with `scope: "environment"`. One of the two is required.
 * - `reach`: a read of one directory, or of the whole environment with an org-wide key.
 * - `account`: organizations, environments and keys, which belong to the account.
 */
export type DirectoryMode = 'one' | 'one-or-account' | 'one-or-environment' | 'reach' | 'account'

// Its meaning depends on the route, so `openapi-parameters.ts` writes the description in the document.
const subOrgId = Type.Optional(Type.String({ description: 'Organization.' }))
const wholeEnvironment = Type.Optional(
  Type.Enum(['environment'], {
    description:
      'The whole environment, instead of subOrgId. Requires an org-wide key (not limited to one organization).',
  }),
)

/** The query and body fields that name the tenant of a route. */
export const tenantFields = (directory: DirectoryMode | undefined) => ({
  subOrgId,
  ...(directory === 'one-or-environment' ? { scope: wholeEnvironment } : {}),
})
