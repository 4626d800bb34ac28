import { randomBytes } from 'node:crypto'
import { type Identity, identify } from '../../../../platform/crypto/identity.ts'
import { hashPurpose } from '../../../../platform/crypto/keyring.ts'
import { keyedHash, sameHash } from '../../../../platform/crypto/tokens.ts'
import { changedFrom } from '../../../../platform/events/events.ts'
import { recordFailure } from '../../../../platform/events/failures.ts'
import { networkOf } from '../../../../platform/http/client-address.ts'
import { countAct } from '../../../../platform/limits/rate-limit.ts'
import { requireEmail } from '../../../../platform/mail/address.ts'
import type { Work } from '../../../../platform/work.ts'
import {
  assertDoorOpen,
  completeLogin,
  doorSettings,
  findSignInFacts,
  loginEvents,
  type SignInMethod,
} from '../../../access/login/login.ts'
import { passkeySettings, type RelyingParty, relyingPartyOf } from '../../relying-party/relying-party.ts'
import { type CeremonyRow, spendCeremony, startCeremony } from '../ceremony-store.ts'
import { passkeyErrors } from '../errors.ts'
import { passkeyEvents } from '../events.ts'
import { CEREMONY_SECONDS, type StartedCeremony } from '../registration.ts'
import {
  type Descriptor,
  type RequestOptions,
  type SignInCredential,
  type SignInVerifyBody,
  toDecoyLike,
  toPasskey,
} from '../schema.ts'
import { passkeyProof } from '../store.ts'
import type { Assertion, Refused } from '../webauthn.ts'
import { decoysOf } from './decoys.ts'
import { findOwnedPasskey, findPasskeyByCredential, listPasskeysOfAddress, type OwnedPasskey } from './store.ts'

export const passkeyMethod: SignInMethod = {
  id: 'passkey',
  offer: { label: 'Passkey', service: 'passkeys', isOn: async () => true },
}

/**
 * Returns what a browser needs for a sign-in. The same statements run for known and unknown addresses, and an address
 * without a passkey gets decoys (ASVS 6.3.8). Without an address, no passkey is listed, and the user chooses one on
 * the device.
 * Throws `invalid_request`, `organization_suspended`, `account_locked`, `rate_limited`.
 */
export async function startSignIn(
  work: Work,
  sent: { email: string; conditional: boolean },
  kind: 'login' | 'step_up' = 'login',
): Promise<StartedCeremony<RequestOptions>> {
  const { directory, db } = work
  const who = readWho(work, sent.email, sent.conditional)
  await assertMayStart(work, who)
  const rp = await relyingPartyOf(work)
  const norm = who?.address.norm
  const decoys = norm === undefined ? [] : decoysOf(work, norm, rp.id)
  const passkeys = norm === undefined ? [] : await listPasskeysOfAddress(db, directory, norm, rp.id)
  const allowCredentials = passkeys.length ? passkeys.map(toDecoyLike) : decoys
  return challengeFor(work, { kind, who, rp, userId: passkeys[0]?.user_id ?? null, allowCredentials })
}

/** Throws `organization_suspended`, `account_locked`, `rate_limited`. */
export async function assertMayStart(work: Work, who: Identity | null): Promise<void> {
  await countStart(work, who)
  await assertDoorOpen(work, who)
}

/** Stores a challenge. Returns the options that contain it. */
export async function challengeFor(
  { db, directory }: Work,
  started: {
    kind: 'login' | 'step_up'
    who: Identity | null
    rp: RelyingParty
    userId: string | null
    allowCredentials: Descriptor[]
  },
): Promise<StartedCeremony<RequestOptions>> {
  const { kind, who, rp, userId, allowCredentials } = started
  const challenge = randomBytes(32)
  const identity = who?.hash ?? null
  const ttlSeconds = CEREMONY_SECONDS
  const challengeId = await startCeremony(db, directory, { kind, userId, identity, challenge, rpId: rp.id, ttlSeconds })
  const options = {
    challenge: challenge.toString('base64url'),
    timeout: CEREMONY_SECONDS * 1000,
    rpId: rp.id,
    allowCredentials,
    userVerification: rp.settings.user_verification,
  }
  return { options, challengeId }
}

const starts = hashPurpose('passkey-start')

/**
 * Counts sign-ins started for an address from one network, so that an attacker in another network cannot use up the
 * user's limit. If the address is unknown, only the network is counted: autofill starts a sign-in at each visit of a
 * login page, and many people may share a network. If the network is unknown too, nothing can be counted.
 */
async function countStart(work: Work, who: Identity | null): Promise<void> {
  const { ip } = work.origin.endUser
  if (who === null && ip === null) return
  const key = work.platform.keyring.hashKey(starts)
  const source = keyedHash(key, who?.address.norm ?? '', ip === null ? '' : networkOf(ip))
  await countAct(work, source, [{ ...(await startLimit(work, who)), windowSeconds: 60 }])
}

async function startLimit(work: Work, who: Identity | null) {
  if (who === null) {
    const { start_limit_per_minute_network: limit } = await passkeySettings.effective(work)
    return { bucket: 'passkey.options.network.minute', limit }
  }
  const { sign_in_rate_limit_per_minute: limit } = await doorSettings.effective(work)
  return { bucket: 'passkey.options.minute', limit }
}

export function readWho({ platform }: Work, email: string, mayBeEmpty: boolean): Identity | null {
  return email === '' && mayBeEmpty ? null : identify(platform, requireEmail(email))
}

/**
 * Exchanges the signature of a passkey for a session. The challenge is consumed even if this fails.
 * Throws `passkey_invalid` for any mismatch, and what the gates throw.
 */
export async function signInWithPasskey(work: Work, sent: SignInVerifyBody) {
  const { facts, proof, refuse } = await provePasskey(work, sent, 'login')
  const done = await completeLogin(work, facts, { method: passkeyMethod, ...proof })
  if (!done) throw await refuse()
  return done
}

/**
 * Checks the signature and consumes the challenge. Returns the proof to consume, and the refusal if another request
 * was faster.
 */
export async function provePasskey(work: Work, sent: SignInVerifyBody, kind: 'login' | 'step_up') {
  const { platform, directory, db } = work
  const who = readWho(work, sent.email ?? '', true)
  const [ceremony, passkey] = await Promise.all([
    spendCeremony(platform.db, directory, kind, sent.challengeId),
    findPasskeyByCredential(db, directory, sent.credential.id),
  ])
  const mismatch = findMismatch(ceremony, who, passkey, sent.credential)
  if (mismatch !== null || !ceremony || !passkey) throw await refusal(work, { who, passkey }, mismatch ?? 'unknown')
  const rp = await relyingPartyOf(work)
  // Loaded for the first passkey, because the library needs much memory.
  const { verifyAssertion } = await import('../webauthn.ts')
  const proved = await verifyAssertion({ rp, ceremony }, passkey, sent.credential)
  if ('refused' in proved) throw await refusal(work, { who, passkey }, proved.refused, proved)
  const owner = who ?? identify(platform, { email: passkey.email, norm: passkey.email_norm })
  const facts = await findSignInFacts(work, owner)
  if (facts?.user_id !== passkey.user_id) throw await refusal(work, { who, passkey }, 'other_user')
  // `refuse` is for a passkey that was just deleted, or whose counter another response already used.
  return {
    facts,
    proof: proofOf(passkey, proved),
    refuse: () => refusal(work, { who, passkey }, 'counter'),
    eventsNow: (work: Work) => eventsNow(work, passkey, proved),
  }
}

/**
 * The events of this use, given the passkey's current state. Another request may already have recorded that it became
 * eligible.
 */
async function eventsNow(work: Work, { id }: OwnedPasskey, use: Assertion) {
  const passkey = await findOwnedPasskey(work.db, work.directory, [id])
  return passkey ? proofOf(passkey, use).events : []
}

/**
 * RFC 8176: the passkey proves possession of a key and presence of the user. Nothing attests whether the key is in
 * hardware, so neither `hwk` nor `swk` is claimed. A fingerprint, face or PIN makes it two factors. If the passkey has
 * become backup eligible, that is recorded.
 */
export function proofOf(passkey: OwnedPasskey, { userVerified, ...use }: Assertion) {
  return {
    amr: userVerified ? ['pop', 'user', 'mfa'] : ['pop', 'user'],
    ...(userVerified ? { aal: 'aal2' as const } : {}),
    spends: [
      passkeyProof({
        passkey_id: passkey.id,
        passkey_counter: use.counter,
        passkey_device_type: use.deviceType,
        passkey_backed_up: use.backedUp,
      }),
    ],
    events: use.deviceType === passkey.device_type ? [] : [becomesEligible(passkey, use)],
  }
}

function becomesEligible(before: OwnedPasskey, { deviceType, backedUp }: Pick<Assertion, 'deviceType' | 'backedUp'>) {
  const previous = toPasskey(before, before)
  const data = toPasskey({ ...before, device_type: deviceType, backed_up: backedUp }, before)
  return passkeyEvents.updated({
    target: { type: 'passkey', id: before.id },
    data,
    previous: changedFrom(previous, data),
  })
}

/** Returns a reason to refuse a response before its signature is verified, or null. */
function findMismatch(
  ceremony: CeremonyRow | undefined,
  who: Identity | null,
  passkey: OwnedPasskey | undefined,
  credential: SignInCredential,
): string | null {
  if (!ceremony) return 'challenge'
  const isForOne = ceremony.identity !== null
  if (isForOne && !sameHash(ceremony.identity, who?.hash ?? null)) return 'challenge'
  if (passkey?.rp_id !== ceremony.rp_id) return 'unknown_passkey'
  if (who !== null && passkey.email_norm !== who.address.norm) return 'other_user'
  if (isForOne && passkey.user_id !== ceremony.user_id) return 'other_user'
  // If the request has no address, the handle identifies the user (WebAuthn L3 §7.2 step 6).
  const handle = credential.response.userHandle ?? null
  if (handle === null) return isForOne ? null : 'other_user'
  return Buffer.from(handle, 'base64url').equals(passkey.user_handle) ? null : 'other_user'
}

export async function refusal(
  work: Work,
  { who, passkey }: { who: Identity | null; passkey: OwnedPasskey | undefined },
  reason: string,
  refused?: Refused,
) {
  await recordFailure(
    { ...work, db: work.platform.db },
    who?.hash ?? null,
    loginEvents.failed({
      ...(passkey ? { target: { type: 'user', id: passkey.user_id } } : {}),
      data: { method: 'passkey', reason, ...(passkey ? { passkey_id: passkey.id } : {}) },
    }),
  )
  const detail = 'The passkey was not accepted. Start again with new options.'
  return passkeyErrors.passkeyInvalid({ detail, cause: refused?.cause })
}
