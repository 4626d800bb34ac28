import type { Work } from '../../../platform/work.ts'
import { findClaimSources } from './store.ts'
import type { ClaimSettings } from './token-settings.ts'

// A token travels in a header with every request, and servers take headers of 8 KB.
const MAX_BYTES = 2048

/**
 * The claims that a setting names, of a user and their organization as they are now. One statement, for those alone who set
 * it. What has no value is left out; so is, by name, what would make them more than 2 KB, which is said.
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
