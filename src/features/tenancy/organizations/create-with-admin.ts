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

/** The organization that a person wants, and the proof of their mailbox that pays for it. */
interface Wanted {
  who: Identity
  proof: UsedProof
  /** What the proof was (RFC 8176). */
  amr: string[]
  name: string
  slug: string
  /** How many organizations may be founded in the environment in a day. */
  perDay: number
  /** Turns on the sign-in method of the founder, if it is off by default. */
  turnOn?: ((inside: TxWork) => Promise<unknown>) | undefined
}

/**
 * Makes an organization with its first admin, who has proved their mailbox, and signs them in there, in one transaction. The
 * slug gets a suffix if it is taken. Returns null when the proof was already consumed. Throws `rate_limited`, and what the
 * door throws.
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

/** Counts only organizations that were created. Called last, because concurrent requests wait for the counter. Throws `rate_limited`. */
async function countFounding(work: TxWork, limit: number): Promise<void> {
  const { directory } = work
  const ofAll = { bucket: 'discovery.create', windowSeconds: DAY_SECONDS, limit }
  await count(work, [{ ...ofAll, directory, identity: idBytes(directory.id) }], [])
}
