import type { Identity } from '../../../platform/crypto/identity.ts'
import { record } from '../../../platform/events/events.ts'
import { burn, type UsedProof } from '../../../platform/joined/proofs.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import { count, idBytes } from '../../../platform/limits/rate-limit.ts'
import { type AccountScope, newDirectory } from '../../../platform/tenancy/directory.ts'
import type { TxWork, Work } from '../../../platform/work.ts'
import type { SessionReply } from '../../access/login/login.ts'
import { giveRoles } from '../../directory/roles/roles.ts'
import { createSignup } from '../../directory/users/users.ts'
import { signupMethod, startFirstSession } from '../../sign-in/signup/signup.ts'
import { createOrganization } from './create.ts'
import { withFreeSlug } from './slugs.ts'

const DAY_SECONDS = 86_400

/** The organization to create, and the proof of the founder's mailbox that it uses up. */
interface Wanted {
  who: Identity
  proof: UsedProof
  /** How the mailbox was proved, as authentication methods (RFC 8176). */
  amr: string[]
  name: string
  slug: string
  /** How many organizations may be created in the environment in a day. */
  perDay: number
  /** Turns on the founder's sign-in method, if it is off by default. */
  turnOn?: ((inside: TxWork) => Promise<unknown>) | undefined
}

/**
 * Creates an organization with its first admin, who has proved their mailbox, and signs them in there, in one
 * transaction. The slug gets a suffix if it is taken. Returns null if the proof was already used. Throws
 * `rate_limited`, and what `startFirstSession` throws.
 */
export function createWithAdmin(work: Work, scope: AccountScope, wanted: Wanted): Promise<SessionReply | null> {
  return withFreeSlug(work, wanted.slug, (slug) => found(work, scope, { ...wanted, slug }))
}

function found(
  work: Work,
  scope: AccountScope,
  { who, proof, amr, name, slug, perDay, turnOn }: Wanted,
): Promise<SessionReply | null> {
  return inTxUnlessConsumed(work, async (work) => {
    if (!(await burn(work, proof))) return null
    const { id: subOrgId } = await createOrganization({ ...work, account: scope }, { name, slug })
    const inside = { ...work, directory: await newDirectory(work.db, scope, subOrgId) }
    const made = await createSignup(inside, who.address, { email_verified: true })
    if (!made) throw new Error('A new organization has a user')
    await record(inside, made.created)
    await turnOn?.(inside)
    await giveRoles(inside, 'manual', [{ user: { ...made.user, held: true }, role: 'admin' }])
    const proved = { method: signupMethod, amr, spends: [] }
    const answer = await startFirstSession(inside, { who, user: made.user, proof: proved })
    await countFounding(work, perDay)
    return answer && { ...answer, organization: { subOrgId, name, slug } }
  })
}

/**
 * Counts a created organization; failed attempts are not counted. Called last, because concurrent requests wait for
 * the counter. Throws `rate_limited`.
 */
async function countFounding(work: TxWork, limit: number): Promise<void> {
  const { directory } = work
  const ofAll = { bucket: 'discovery.create', windowSeconds: DAY_SECONDS, limit }
  await count(work, [{ ...ofAll, directory, identity: idBytes(directory.id) }], [])
}
