import { Type } from 'typebox'
import type { DirectoryMode } from './route.ts'

// What it means depends on the route: the document says it (`openapi-parameters.ts`).
const subOrgId = Type.Optional(Type.String({ description: 'Organization.' }))
const wholeEnvironment = Type.Optional(
  Type.Enum(['environment'], { description: 'Instead of subOrgId: the whole environment. Needs an org-wide key.' }),
)

/** The fields of query and body that name the tenant of a route. */
export const tenantFields = (directory: DirectoryMode | undefined) => ({
  subOrgId,
  ...(directory === 'one-or-environment' ? { scope: wholeEnvironment } : {}),
})
