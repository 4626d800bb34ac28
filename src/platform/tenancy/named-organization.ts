import { httpErrors, invalidField } from '../errors.ts'
import { isId } from '../ids.ts'
import { isSlug } from '../slug.ts'

/** The value of `subOrgId` for the account's own team. */
export const TEAM = 'team'

/** The part of a caller that says which organization it reaches. Null for the whole account. */
interface Bounded {
  organizationId: string | null
}

/**
 * Returns the organization of a request, from its key or from `subOrgId` in query or body, or null. Throws
 * `sub_org_conflict`, `sub_org_mismatch`. Never checks whether another organization exists.
 */
export function namedOrganization(caller: Bounded, query: unknown, body: unknown): string | null {
  const fromQuery = readSubOrgId(query)
  const fromBody = readSubOrgId(body)
  if (fromQuery !== null && fromBody !== null && fromQuery !== fromBody) throw httpErrors.subOrgConflict()
  const asked = fromQuery ?? fromBody
  if (caller.organizationId === null) return asked
  if (asked !== null && asked !== caller.organizationId)
    throw httpErrors.subOrgMismatch(asked === TEAM ? { detail: NO_TEAM } : describeNoId(asked))
  return caller.organizationId
}

const NO_TEAM =
  'A key or team member limited to one organization cannot reach `team`. Team members manage their own user at /v1/me.'

/**
 * Whether a request names the whole environment with `scope: "environment"`, in query or body, instead of an
 * organization. Throws `invalid_request` for another value, `sub_org_conflict` if there is a `subOrgId` too, and
 * `sub_org_mismatch` for a key of one organization.
 */
export function namesEnvironment(caller: Bounded, query: unknown, body: unknown): boolean {
  const values = [readScope(query), readScope(body)].filter((value) => value !== undefined)
  if (values.length === 0) return false
  if (values.some((value) => value !== 'environment'))
    throw invalidField('scope', 'enum', 'scope must be environment, or absent')
  if (readSubOrgId(query) !== null || readSubOrgId(body) !== null)
    throw httpErrors.subOrgConflict({ detail: 'Send either subOrgId or scope, not both.' })
  if (caller.organizationId !== null)
    throw httpErrors.subOrgMismatch({
      detail: 'A key or team member limited to one organization cannot reach the whole environment.',
    })
  return true
}

const readScope = (source: unknown): unknown =>
  typeof source === 'object' && source !== null ? Reflect.get(source, 'scope') : undefined

function readSubOrgId(source: unknown): string | null {
  if (typeof source !== 'object' || source === null) return null
  const value: unknown = Reflect.get(source, 'subOrgId')
  if (value === undefined) return null
  if (value === '') throw invalidField('subOrgId', 'minLength', 'subOrgId is empty')
  // A UUID may be written in upper or lower case (RFC 9562 §4), and ids are compared in their stored form.
  if (typeof value === 'string') return isId(value.toLowerCase()) ? value.toLowerCase() : value
  throw invalidField('subOrgId', 'type', 'subOrgId must be a string')
}

/** The error detail for a `subOrgId` that is not a UUID. Empty for a UUID. */
export function describeNoId(text: string): { detail?: string } {
  if (text === TEAM)
    return { detail: 'This route does not accept `team` as subOrgId. Team members manage their own user at /v1/me.' }
  if (isId(text.toLowerCase())) return {}
  const slug = isSlug(text) ? ` ${text} looks like a slug: GET /v1/organizations?slug=${text} returns the id.` : ''
  return { detail: `subOrgId must be the id of an organization, which is a UUID.${slug}` }
}
