import type { Work } from '../../../platform/work.ts'
import { findClaimSources } from './store.ts'
import type { ClaimSettings } from './token-settings.ts'

// A token is sent in a header with every request, and many servers accept only 8 KB of headers.
const MAX_BYTES = 2048

/**
 * The claims that the settings name, with the current values of the user and their organization. Only directories
 * with such settings need a statement for it. Claims without a value are left out. Claims are taken in alphabetical
 * order; those that would exceed 2 KB are left out and `claims_truncated` says so.
 */
export async function customClaims(
  { db, directory }: Pick<Work, 'db' | 'directory'>,
  userId: string,
  { token_claims: wanted }: Pick<ClaimSettings, 'token_claims'>,
): Promise<Record<string, unknown>> {
  const names = Object.keys(wanted).sort()
  if (names.length === 0) return {}
  const found = await findClaimSources(db, directory, userId)
  const claims: Record<string, unknown> = {}
  let isLarge = false
  for (const name of names) {
    const value = found && valueFor(found, wanted[name] ?? '')
    if (value === undefined || value === null) continue
    const size = Buffer.byteLength(JSON.stringify({ ...claims, [name]: value }))
    if (size > MAX_BYTES) isLarge = true
    else claims[name] = value
  }
  return isLarge ? { ...claims, claims_truncated: true } : claims
}

type Sources = NonNullable<Awaited<ReturnType<typeof findClaimSources>>>

function valueFor(found: Sources, source: string): unknown {
  const [, whose = '', , key] = /^(user|organization)\.(externalId|metadata\.(.+))$/.exec(source) ?? []
  const { externalId, metadata } = whose === 'user' ? found.user : found.organization
  if (key === undefined) return externalId
  const known = Object(metadata)
  return Object.hasOwn(known, key) ? known[key] : undefined
}
