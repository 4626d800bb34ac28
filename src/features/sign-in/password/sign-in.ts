import { type Identity, identify } from '../../../platform/crypto/identity.ts'
import { costOfArgon2, costOfHash } from '../../../platform/crypto/password-cost.ts'
import { withPasswordPlace, withPasswordTurn } from '../../../platform/crypto/password-pool.ts'
import { ApiError } from '../../../platform/errors.ts'
import { recordFailure } from '../../../platform/events/failures.ts'
import { countAct } from '../../../platform/limits/rate-limit.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { decoyReasonOf } from '../../../platform/outbox/decoy.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import {
  assertDoorOpen,
  assertMaySignIn,
  completeLogin,
  doorSettings,
  loginEvents,
  readFacts,
  type SessionReply,
  type SignInFacts,
} from '../../access/login/login.ts'
import { markLocked } from '../../directory/users/lock/lock.ts'
import { findUserForUpdate, userErrors } from '../../directory/users/users.ts'
import { issueLink } from '../links/links.ts'
import { mailLink } from '../links/send-link/send-link.ts'
import {
  type Attempt,
  accountLocked,
  claimAttempt,
  clearFailures,
  failuresCleared,
  findLock,
  lockoutSettings,
  unlockPurpose,
} from '../lockout/lockout.ts'
import { lockedMail } from './emails.ts'
import { passwordErrors } from './errors.ts'
import { hashPassword, isAffordable, needsRehash, verifyNothing, verifyPassword } from './hash.ts'
import { changePurpose } from './link-purposes.ts'
import { passwordMethod } from './method.ts'
import { getPasswordSettings, hashParameters, type PasswordSettings } from './settings.ts'
import { passwordProof, readPassword, type StoredPassword, toStoredPassword, upgradeHash } from './store.ts'

const CHANGE_TTL_SECONDS = 600
// As long as the longest possible lock.
const UNLOCK_TTL_SECONDS = 3600
const NETWORK_NOTICES = { bucket: 'lock_notice.network.hour', limit: 5, windowSeconds: 3600 }

/**
 * Exchanges a password for a session. The attempt is counted before the password is checked, and an unknown address
 * costs the same statements and the same hash (ASVS 6.3.1, 6.3.8). Throws `invalid_credentials`, `account_locked`,
 * `password_change_required`, `verification_required`, `unavailable` when too many hashes wait, and what the gates
 * throw.
 */
export async function signInWithPassword(work: Work, sent: { email: string; password: string }): Promise<SessionReply> {
  const settings = await getPasswordSettings(work)
  // Taken before any statement, so that a flood of sign-ins beyond the hashing capacity does not reach the database.
  return withPasswordPlace(work, () => exchangePassword(work, settings, sent))
}

async function exchangePassword(
  work: Work,
  settings: PasswordSettings,
  sent: { email: string; password: string },
): Promise<SessionReply> {
  const who = identify(work.platform, requireEmail(sent.email))
  const { door, person, read } = await assertDoorOpen(work, who, readPassword({}))
  if (door.locked_seconds !== null) throw accountLocked(door.locked_seconds)
  const shown = { who, facts: person, stored: toStoredPassword(read), password: sent.password }
  const verified = await verifyAttempt(work, settings, shown)
  const { facts, stored } = verified
  // The attempt has already checked the lock. A lock that it set itself is cleared together with creating the session.
  const cleared = { ...facts, locked_seconds: null }
  const { require_email_verification: requiresProof } = await doorSettings.effective(work)
  await clearFailuresIfRefused(work, who, facts, async () => {
    await assertMaySignIn(work, cleared)
    if (requiresProof && !facts.email_verified) throw userErrors.verificationRequired()
  })
  if (stored.must_change) throw await changeRequired(work, who, facts)
  const answer = await completeLogin(work, cleared, {
    method: passwordMethod,
    amr: ['pwd'],
    spends: [passwordProof({ password_revision: stored.revision })],
    beside: [failuresCleared(work.platform, sourceOf(work, who))],
  })
  // Another request changed the password while this one was checked.
  if (!answer) throw passwordErrors.invalidCredentials()
  await upgrade(work, settings, verified, sent.password)
  return answer
}

/**
 * A right password that is refused for another reason does not count as a failed attempt, and that reason is recorded.
 */
async function clearFailuresIfRefused(
  work: Work,
  who: Identity,
  facts: SignInFacts,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check()
  } catch (error) {
    await clearFailures(work, sourceOf(work, who)).execute()
    if (error instanceof ApiError)
      await recordFailure(
        work,
        who.hash,
        loginEvents.failed({
          target: { type: 'user', id: facts.user_id },
          data: { method: 'password', reason: error.definition.code },
        }),
      )
    throw error
  }
}

/**
 * Checks a password that is sent in addition to another proof, without creating a session. Returns the right password.
 * Throws `invalid_credentials`, `account_locked`, `method_disabled`, `unavailable`.
 */
export async function provePassword(
  work: Work,
  who: Identity,
  facts: SignInFacts,
  password: string,
): Promise<StoredPassword> {
  const settings = await getPasswordSettings(work)
  const { stored } = await withPasswordPlace(work, async () => {
    const { person, read } = await readFacts(work, who, readPassword({}))
    const stored = person?.user_id === facts.user_id ? toStoredPassword(read) : null
    return verifyAttempt(work, settings, { who, facts, stored, password })
  })
  await clearFailures(work, sourceOf(work, who)).execute()
  return stored
}

/** A password in a request, and the user of the address. */
interface ShownPassword {
  who: Identity
  facts: SignInFacts | null
  stored: StoredPassword | null
  password: string
}

interface VerifiedAttempt {
  facts: SignInFacts
  stored: StoredPassword
}

/** Counts an attempt, then checks the password. Throws `invalid_credentials`, `account_locked`. */
async function verifyAttempt(work: Work, settings: PasswordSettings, shown: ShownPassword): Promise<VerifiedAttempt> {
  const { who, facts, password } = shown
  const stored = shown.stored && isAffordable(work, shown.stored) ? shown.stored : null
  const parameters = hashParameters(work, settings)
  const cost = stored ? costOfHash(stored) : costOfArgon2(parameters)
  // The attempt is counted once the request has its place in the queue. A request rejected while it waits uses no
  // attempt.
  const { attempt, right } = await withPasswordTurn(work, cost, async () => ({
    attempt: await claim(work, who),
    right: await (stored ? verifyPassword(work, stored, password) : verifyNothing(work, password, parameters)),
  }))
  if (!right || !facts || !stored) {
    await noteFailure(work, { ...shown, stored }, attempt)
    throw passwordErrors.invalidCredentials()
  }
  return { facts, stored }
}

function sourceOf({ origin }: Work, who: Identity) {
  return { identity: who.hash, ip: origin.endUser.ip }
}

/** Counts the attempt. Throws `account_locked`. */
async function claim(work: Work, who: Identity): Promise<Attempt> {
  const settings = await lockoutSettings.effective(work)
  if (!settings.lockout_enabled) {
    // Limits guesses where the lockout setting is off.
    await countAct(work, who.hash, [{ bucket: 'login.password.minute', limit: 10, windowSeconds: 60 }])
    return { allowed: true, locks: null }
  }
  const attempt = await claimAttempt(work, sourceOf(work, who), settings)
  if (!attempt.allowed) throw accountLocked((await findLock(work, sourceOf(work, who))) ?? 1)
  return attempt
}

async function noteFailure(work: Work, { who, facts, stored }: ShownPassword, attempt: Attempt): Promise<void> {
  const reason = facts === null ? 'no_such_user' : stored ? 'wrong_password' : 'no_password'
  const failure = loginEvents.failed({
    ...(facts ? { target: { type: 'user', id: facts.user_id } } : {}),
    data: { method: 'password', reason },
  })
  const { locks } = attempt
  if (!locks || !(await isAnnounced(work, who, locks))) return recordFailure(work, who.hash, failure)
  const { lockout_scope: shut } = await lockoutSettings.effective(work)
  await inTx(work, async (work) => {
    await recordFailure(work, who.hash, failure)
    await mailLink(work, {
      purpose: unlockPurpose,
      who: facts ? { ...who, address: { ...who.address, email: facts.email } } : who,
      locale: facts?.locale ?? null,
      userId: facts?.user_id ?? null,
      decoy: facts === null ? decoyReasonOf(facts) : null,
      ttlSeconds: UNLOCK_TTL_SECONDS,
      delivery: { redirectTo: null, deliver: true },
      compose: (_, mail) => lockedMail(mail, { where: locks.scope, shut }),
    })
    if (facts && locks.scope === 'account') await markLocked(work, facts.user_id, locks.until)
  })
}

/**
 * Whether a mail announces the lock. The limits on codes and links do not apply, because a stranger could use them up
 * and then lock a user silently. Locks of the whole address are rare and always announced. Locks of a network have a
 * limit, because there are many networks.
 */
function isAnnounced(work: Work, who: Identity, { scope }: NonNullable<Attempt['locks']>): Promise<boolean> {
  if (scope === 'account') return Promise.resolve(true)
  return countAct(work, who.hash, [NETWORK_NOTICES]).then(
    () => true,
    () => false,
  )
}

/** The error for a right password that must be changed before it can be used. */
async function changeRequired(work: Work, who: Identity, facts: SignInFacts) {
  const link = await inTx(work, async (work) => {
    // The password may have been replaced while it was checked, and the token must not outlive it.
    const user = await findUserForUpdate(work, facts.user_id)
    if (user?.epoch !== facts.epoch) throw passwordErrors.invalidCredentials()
    await clearFailures(work, sourceOf(work, who)).execute()
    return issueLink(work, {
      purpose: changePurpose,
      userId: facts.user_id,
      identity: who.hash,
      ttlSeconds: CHANGE_TTL_SECONDS,
    })
  })
  return passwordErrors.passwordChangeRequired({
    extra: { token_hash: link.token, expires_at: link.expiresAt.toISOString() },
  })
}

/** Upgrades an imported hash, or one with older parameters. If the pool is full, the next sign-in tries again. */
async function upgrade(
  work: Work,
  settings: PasswordSettings,
  { facts, stored }: VerifiedAttempt,
  password: string,
): Promise<void> {
  const parameters = hashParameters(work, settings)
  if (!needsRehash(stored, parameters)) return
  try {
    const fresh = await hashPassword(work, password, parameters)
    await upgradeHash(work.db, work.directory, { userId: facts.user_id, oldHash: stored.hash, fresh })
  } catch (error) {
    work.platform.log.warn({ error }, 'A password hash was not upgraded; the next sign-in tries again')
  }
}
