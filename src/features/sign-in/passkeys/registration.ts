import { randomBytes } from 'node:crypto'
import { invalidField } from '../../../platform/errors.ts'
import { record } from '../../../platform/events/events.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import { findOrganizationName } from '../../../platform/tenancy/organization-name.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { assertActive, assertDoorOpen, loginErrors } from '../../access/login/login.ts'
import { ensureAuthAccount, findUserForUpdate, getUser, type UserRow, userErrors } from '../../directory/users/users.ts'
import { relyingPartyOf } from '../relying-party/relying-party.ts'
import { spendCeremony, startCeremony } from './ceremony-store.ts'
import { passkeyRegisteredMail } from './emails.ts'
import { passkeyErrors } from './errors.ts'
import { passkeyEvents } from './events.ts'
import {
  ALGORITHMS,
  type CreationOptions,
  type Passkey,
  type RegistrationCredential,
  toDescriptor,
  toPasskey,
} from './schema.ts'
import { insertPasskey, isRecentSession, listPasskeys, type NewPasskey } from './store.ts'

/** How long a browser may take to respond to a challenge. */
export const CEREMONY_SECONDS = 300
const MAX_PASSKEYS = 20

export interface StartedCeremony<O> {
  options: O
  challengeId: string
}

/**
 * Returns what a browser needs to create a passkey for a user. Throws `user_not_found`, `user_locked`,
 * `user_inactive`, `verification_required` for a pending sign-up, `organization_suspended`, `recent_sign_in_required`,
 * `passkey_limit_reached`.
 */
export async function startRegistration(
  work: Work,
  sent: { userId: string; sessionId: string | null },
): Promise<StartedCeremony<CreationOptions>> {
  const { directory, db } = work
  const user = await getRegistrant(work, sent.userId)
  const rp = await relyingPartyOf(work)
  await assertRecentSignIn(work, user, sent.sessionId, rp.settings.require_recent_sign_in_seconds)
  const present = await listPasskeys(db, directory, user.id)
  if (present.length >= MAX_PASSKEYS) throw passkeyErrors.limitReached()
  // The organization's name tells passkeys of one person for several organizations apart in the device's list
  // (WebAuthn L3 §5.4.3).
  const [person, organization] = [user.display_name ?? user.email, await findOrganizationName(db, directory)]
  const challenge = randomBytes(32)
  const challengeId = await startCeremony(db, directory, {
    kind: 'registration',
    userId: user.id,
    identity: null,
    challenge,
    rpId: rp.id,
    ttlSeconds: CEREMONY_SECONDS,
  })
  const options = {
    rp: { id: rp.id, name: rp.name },
    user: {
      id: userHandle(user).toString('base64url'),
      name: user.email,
      displayName: organization === null ? person : `${person} (${organization})`,
    },
    challenge: challenge.toString('base64url'),
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CEREMONY_SECONDS * 1000,
    excludeCredentials: present.filter((passkey) => passkey.rp_id === rp.id).map(toDescriptor),
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
    attestation: 'none',
    extensions: { credProps: true },
  }
  return { options, challengeId }
}

/**
 * Stores the passkey that the browser created. The challenge is consumed even if this fails. Throws what
 * `startRegistration` throws, `passkey_invalid` and `passkey_exists`.
 */
export async function finishRegistration(
  work: Work,
  sent: { userId: string; challengeId: string; credential: RegistrationCredential; deviceName: string | null },
): Promise<Passkey> {
  const { platform, directory } = work
  const user = await getRegistrant(work, sent.userId)
  const ceremony = await spendCeremony(platform.db, directory, 'registration', sent.challengeId)
  if (ceremony?.user_id !== user.id) throw refusedRegistration()
  const rp = await relyingPartyOf(work)
  // Loaded for the first passkey, because the library needs much memory.
  const { verifyRegistration } = await import('./webauthn.ts')
  const made = await verifyRegistration({ rp, ceremony }, sent.credential)
  if ('refused' in made) throw refusedRegistration(made.cause)
  const passkey = {
    ...made,
    userId: user.id,
    deviceName: sent.deviceName || null,
    userHandle: userHandle(user),
  }
  return inTx(work, (work) => attach(work, user, passkey))
}

function refusedRegistration(cause?: unknown) {
  return passkeyErrors.passkeyInvalid({
    detail: 'The passkey was not accepted. Start again with new options.',
    cause,
  })
}

/** `read` is the user before the registration was checked. A cut-off since then has raised the epoch. */
async function attach(work: TxWork, read: UserRow, passkey: NewPasskey): Promise<Passkey> {
  const user = await findUserForUpdate(work, read.id)
  if (!user?.active || user.pending_until || user.epoch !== read.epoch) throw loginErrors.userInactive()
  if (user.passkey_count >= MAX_PASSKEYS) throw passkeyErrors.limitReached()
  const stored = await insertPasskey(work.db, work.directory, passkey)
  if (!stored) throw passkeyErrors.exists()
  const data = toPasskey(stored, { auth_account_id: await ensureAuthAccount(work, user) })
  const mail = passkeyRegisteredMail(user, data.deviceName)
  await queueMail(work, mail, NOTICE_USEFUL_SECONDS)
  await record(work, passkeyEvents.registered({ target: { type: 'passkey', id: data.id }, data }))
  return data
}

/** Returns a user who may get a passkey: active, in an active organization, and not a pending sign-up. */
async function getRegistrant(work: Work, userId: string): Promise<UserRow> {
  await assertDoorOpen(work, null)
  const user = await getUser(work, userId)
  assertActive(user)
  if (user.pending_until) throw userErrors.verificationRequired()
  return user
}

/**
 * The handle under which authenticators store, and overwrite, a passkey. It identifies the directory user, so that one
 * person's passkeys for two organizations coexist. It reveals nothing about the user (WebAuthn L3 §14.6.1).
 */
function userHandle(user: UserRow): Buffer {
  return Buffer.from(user.id.replaceAll('-', ''), 'hex')
}

async function assertRecentSignIn(
  { directory, db }: Work,
  user: UserRow,
  id: string | null,
  withinSeconds: number,
): Promise<void> {
  if (withinSeconds === 0) return
  const factors = user.mfa_enrolled || user.passkey_count > 0
  const session = id === null ? null : { id, userId: user.id, withinSeconds, factors }
  if (session && (await isRecentSession(db, directory, session))) return
  throw passkeyErrors.recentSignInRequired({
    detail: `Registering a passkey requires an access_token from a sign-in of the user in the last ${withinSeconds} seconds.`,
    extra: { within_seconds: withinSeconds },
  })
}

/**
 * Returns the fields that the action `verify` requires, from a body that serves both actions. Throws
 * `invalid_request`.
 */
export function requireAnswer(body: { challengeId?: string; credential?: RegistrationCredential }) {
  const { challengeId, credential } = body
  if (challengeId !== undefined && credential !== undefined) return { challengeId, credential }
  const field = challengeId === undefined ? 'challengeId' : 'credential'
  throw invalidField(field, 'required', `${field} is required`, `${field} is required with the action verify.`)
}
