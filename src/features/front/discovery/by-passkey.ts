import { identify } from '../../../platform/crypto/identity.ts'
import type { Work } from '../../../platform/work.ts'
import { completeLogin, findSignInFacts, type SessionReply } from '../../access/login/login.ts'
import { grantCode, proveGranted } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'
import { type ProvenPasskey, proofOf, resumePasskey } from '../../sign-in/passkeys/sign-in/sign-in.ts'
import { connectionOf, type Found, requirementOf, TTL_SECONDS, toDiscovered } from './discovery.ts'
import { assertServiceOn } from './methods.ts'
import { toDiscovery } from './schema.ts'
import { selectOrganizations } from './store.ts'
import type { DiscoveredPasskey } from './token.ts'

/**
 * The organizations in which a passkey is registered, and the token to enter one. `work` is in the environment's
 * account-level directory.
 */
export async function discoverByPasskey(work: Work, proven: ProvenPasskey[]): Promise<SessionReply> {
  const [first] = proven
  if (!first) throw new Error('A discovery by no passkey')
  const found = await findOrganizations(work, proven)
  const granted = await grantCode(work, found, TTL_SECONDS)
  const passkeyIds = proven.map(({ passkey }) => passkey.id)
  const said = { ...granted, ...first.use, method: 'passkey' as const, passkeyIds }
  return { session: null, ...toDiscovery(await toDiscovered(work, said, found)) }
}

async function findOrganizations({ db }: Work, proven: ProvenPasskey[]) {
  const rows = await selectOrganizations(
    db,
    proven.flatMap(({ work }) => work.directory.organizationId ?? []),
  )
  const found = rows.map(async ({ organization_id: subOrgId, name, slug }) => {
    const held = proven.find(({ work }) => work.directory.organizationId === subOrgId)
    const opens = held && (await look(held))
    if (!opens) return []
    const { identity, ...asked } = opens
    const shown: Found = { subOrgId, name, slug, state: 'active', ...asked }
    return [{ directory: held.work.directory, identity, shown }]
  })
  return (await Promise.all(found)).flat()
}

/**
 * What the organization would still require of the user, and the user's address; null if the user could not sign in.
 */
async function look({ work, passkey, use }: ProvenPasskey) {
  const owner = identify(work.platform, { email: passkey.email, norm: passkey.email_norm })
  const facts = await findSignInFacts(work, owner)
  if (facts?.user_id !== passkey.user_id || !facts.active) return null
  const { amr, aal = 'aal1' } = proofOf(passkey, use)
  const requires = await requirementOf(work, { method: 'passkey', amr, aal }, facts)
  const connectionId = requires === 'sso' ? await connectionOf(work, owner) : null
  return { identity: owner.hash, requires, connectionId }
}

/**
 * Signs the user in to an organization where the passkey is registered. The session is as strong as the signature.
 * The signature's counter must still be the greatest. Returns null if the token is not valid, or no longer valid.
 * Throws `service_disabled`, `sso_required` with the connection to start, and what `completeLogin` throws.
 */
export async function enterByPasskey(work: Work, said: DiscoveredPasskey): Promise<SessionReply | null> {
  await assertServiceOn(work, 'passkeys')
  const resumed = await resumePasskey(work, said.passkeyIds, said)
  if (!resumed) return null
  const { passkey, owner, proof } = resumed
  const granted = await proveGranted(work, owner, said)
  const facts = granted?.facts
  if (!granted || facts?.user_id !== passkey.user_id) return null
  const spends = [...granted.spends, ...proof.spends]
  return completeLogin(work, facts, { ...proof, spends })
}
