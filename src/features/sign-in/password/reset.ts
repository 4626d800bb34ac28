import { identify } from '../../../platform/crypto/identity.ts'
import type { HashedPassword } from '../../../platform/crypto/password-format.ts'
import { inTxUnlessConsumed } from '../../../platform/joined/unless-consumed.ts'
import type { RateLimit } from '../../../platform/limits/rate-limit.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import {
  assertMaySignIn,
  completeLogin,
  completeMailboxLogin,
  findSignInFacts,
  type SessionReply,
  type SignInFacts,
} from '../../access/login/login.ts'
import { markUnlocked } from '../../directory/users/lock/lock.ts'
import { proveMailbox } from '../../directory/users/proof/proof.ts'
import { findUserForUpdate, getUser, type HeldUser } from '../../directory/users/users.ts'
import { type LinkRow, linkErrors } from '../links/links.ts'
import { consumeLink, countLinkUse, proofOfLink, redeemLink } from '../links/presented/presented.ts'
import { type LinkDelivery, type SentLink, sendLink } from '../links/send-link/send-link.ts'
import { unlock } from '../lockout/lockout.ts'
import { resetMail } from './emails.ts'
import { passwordErrors } from './errors.ts'
import { passwordEvents } from './events.ts'
import { changePurpose, resetPurpose } from './link-purposes.ts'
import { passwordMethod } from './method.ts'
import { assertNotReused, hashNewPassword } from './new-password.ts'
import { getPasswordSettings, type PasswordSettings } from './settings.ts'
import { writePassword } from './write.ts'

/** How often a reset link may be sent to an address. */
export const resetLimits: RateLimit[] = [
  { bucket: 'password.reset.minute', limit: 3, windowSeconds: 60 },
  { bucket: 'password.reset.hour', limit: 10, windowSeconds: 3600 },
]

/** Throws `password_reset_disabled`, `method_disabled`. */
export async function resetSettings(work: Work): Promise<PasswordSettings> {
  const settings = await getPasswordSettings(work)
  if (!settings.password_reset_enabled) throw passwordErrors.passwordResetDisabled()
  return settings
}

/**
 * Mails a link to choose a new password, if an active user has the address. The response does not reveal whether one
 * has.
 * Throws `password_reset_disabled`, and what `sendLink` throws.
 */
export async function sendReset(work: Work, sent: { email: string; delivery: LinkDelivery }): Promise<SentLink> {
  const settings = await resetSettings(work)
  return sendLink(work, {
    purpose: resetPurpose,
    email: sent.email,
    delivery: sent.delivery,
    ttlSeconds: settings.password_reset_ttl_seconds,
    limits: resetLimits,
    // A pending sign-up cannot get a password before the mailbox is proved.
    addressee: (facts) => (facts?.active && !facts.pending ? { userId: facts.user_id } : null),
    compose: (_, mail) => resetMail(mail),
    opensSession: true,
    event: passwordEvents.resetRequested,
  })
}

/**
 * Sets a new password and creates a session, in exchange for a reset link or for the token returned for a password that
 * must be changed. Ends every earlier session, and invalidates earlier codes and links. If the password is refused, the
 * link stays valid.
 * Throws `token_invalid`, `token_expired`, `weak_password`, `password_breached`, and what the gates throw.
 */
export async function confirmReset(
  work: Work,
  sent: { email: string; token: string; password: string },
): Promise<SessionReply> {
  const settings = await getPasswordSettings(work)
  const who = identify(work.platform, requireEmail(sent.email))
  const purposes = [resetPurpose, changePurpose] as const
  return redeemLink(work, { who, token: sent.token, purposes }, async ({ link, facts }) => {
    const isMailed = link.purpose === resetPurpose.name
    if (isMailed) await resetSettings(work)
    const reset = await prepare(work, settings, { link, facts, password: sent.password })
    const proof = {
      method: passwordMethod,
      // The user proved that they have the mailed link. The password is new and proves nothing.
      amr: isMailed ? ['otp'] : ['pwd'],
      linkId: link.id,
      spends: [proofOfLink(link)],
    }
    const answer = isMailed
      ? await completeMailboxLogin(work, reset.facts, proof, reset.write)
      : await changeAndSignIn(work, reset, proof)
    if (!answer) throw linkErrors.tokenInvalid()
    return answer
  })
}

interface Reset {
  facts: SignInFacts
  hashed: HashedPassword
  write(work: TxWork, user: HeldUser): Promise<void>
}

/** For the token returned for a right password. It was not mailed, so it proves no mailbox. */
function changeAndSignIn(work: Work, reset: Reset, proof: Parameters<typeof completeLogin>[2]) {
  return inTxUnlessConsumed(work, async (work) => {
    const user = await findUserForUpdate(work, reset.facts.user_id)
    if (user?.epoch !== reset.facts.epoch) return null
    const change = {
      hash: reset.hashed.hash,
      async write() {
        await reset.write(work, user)
        // Writing the password cut the user off, which raised the epoch.
        return { ...reset.facts, epoch: (await getUser(work, user.id)).epoch }
      },
    }
    return completeLogin(withoutDevice(work), reset.facts, { ...proof, change })
  })
}

/**
 * Removes the trusted device from the request. The password change removes all trusted devices, so none may replace the
 * second factor in this sign-in.
 */
function withoutDevice<W extends Work>(work: W): W {
  const { origin } = work
  return { ...work, origin: { ...origin, endUser: { ...origin.endUser, trustedDevice: null } } }
}

async function prepare(
  work: Work,
  settings: PasswordSettings,
  shown: { link: LinkRow; facts: SignInFacts | null; password: string },
): Promise<Reset> {
  const { link, facts, password } = shown
  if (!facts || facts.user_id !== link.user_id) throw linkErrors.tokenInvalid()
  await assertMaySignIn(work, facts)
  await countLinkUse(work, link)
  const user = await getUser(work, facts.user_id)
  // The password that must be changed must not be chosen again.
  if (link.purpose === changePurpose.name) await assertNotReused(work, { userId: user.id, password, count: 1 })
  const hashed = await hashNewPassword(work, settings, user, password)
  return { facts, hashed, write: (work, user) => writeReset(work, settings, { link, user, hashed }) }
}

async function writeReset(
  work: TxWork,
  settings: PasswordSettings,
  { link, user, hashed }: { link: LinkRow; user: HeldUser; hashed: HashedPassword },
): Promise<void> {
  const completed = passwordEvents.resetCompleted({ target: { type: 'user', id: user.id }, data: { link_id: link.id } })
  const events = link.purpose === resetPurpose.name ? [completed] : []
  await writePassword(work, settings, { user, hashed, linkId: link.id, events })
  // The failed attempts were guesses at the old password, so they no longer count.
  if (await unlock(work, link.identity)) await markUnlocked(work, user.id)
}

/**
 * Sets a new password on the hosted page, which cannot hold a session. The user signs in afterwards.
 * Throws `token_invalid`, `token_expired`, `weak_password`, `password_breached`, and what the gates throw.
 */
export async function resetOnPage(work: Work, sent: { token: string; password: string }): Promise<void> {
  const settings = await resetSettings(work)
  await redeemLink(work, { who: null, token: sent.token, purposes: [resetPurpose] }, async ({ link }) => {
    if (link.user_id === null) throw linkErrors.tokenInvalid()
    const user = await getUser(work, link.user_id)
    const who = identify(work.platform, { email: user.email, norm: user.email_norm })
    if (!who.hash.equals(link.identity)) throw linkErrors.tokenInvalid()
    const facts = await findSignInFacts(work, who)
    const reset = await prepare(work, settings, { link, facts, password: sent.password })
    await inTx(work, async (work) => {
      const held = await findUserForUpdate(work, user.id)
      if (held?.email_norm !== user.email_norm) throw linkErrors.tokenInvalid()
      const proved = await proveMailbox(work, held, { linkId: link.id, by: passwordMethod.id })
      if (!(await consumeLink(work, link))) throw linkErrors.tokenInvalid()
      await reset.write(work, proved)
    })
  })
}
