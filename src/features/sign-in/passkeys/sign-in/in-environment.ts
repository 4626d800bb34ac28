import { type Identity, identify } from '../../../../platform/crypto/identity.ts'
import { sameHash } from '../../../../platform/crypto/tokens.ts'
import { defineSlot } from '../../../../platform/platform.ts'
import { findDirectory } from '../../../../platform/tenancy/directory.ts'
import { isServiceEnabled } from '../../../../platform/tenancy/services.ts'
import type { Work } from '../../../../platform/work.ts'
import { completeLogin, findSignInFacts, type SessionReply } from '../../../access/login/login.ts'
import { acceptsOrigin, type RelyingParty, relyingPartyOf } from '../../relying-party/relying-party.ts'
import { type CeremonyRow, spendCeremony } from '../ceremony-store.ts'
import type { StartedCeremony } from '../registration.ts'
import type { RequestOptions, SignInVerifyBody } from '../schema.ts'
import type { Assertion, Refused } from '../webauthn.ts'
import { assertMayStart, challengeFor, passkeyMethod, proofOf, readWho, refusal } from './in-organization.ts'
import { findOwnedPasskey, listPasskeysOfEnvironment, type OwnedPasskey } from './store.ts'

/** A passkey whose signature was verified, in the directory of its user. */
export interface ProvenPasskey {
  /** Works on the user's directory. */
  work: Work
  passkey: OwnedPasskey
  use: Assertion
}

// Slot: discovery belongs to `front`, which may not be imported from here. `src/wiring` fills the slot.
/** Grants a token for the organizations that have a passkey. `work` is the environment's. */
export const passkeyDiscovery =
  defineSlot<(work: Work, proven: ProvenPasskey[]) => Promise<SessionReply>>('discovery by passkey')

/** The number of organizations with one passkey that are checked. A token names the passkeys in these organizations. */
const MAX_HOLDERS = 20

/**
 * Returns what a browser needs to sign in to any organization of the environment, with the default relying party.
 * Lists no passkey, not even for a known address: comparing the list with an organization's would reveal who has a
 * passkey there. Throws `invalid_request`, `account_locked`, `rate_limited`.
 */
export async function startInEnvironment(work: Work, email: string): Promise<StartedCeremony<RequestOptions>> {
  const who = readWho(work, email, true)
  await assertMayStart(work, who)
  const rp = await relyingPartyOf(work)
  return challengeFor(work, { kind: 'login', who, rp, userId: null, allowCredentials: [] })
}

/**
 * Exchanges the signature of a passkey for a session in its user's organization, or for a discovery token if several
 * organizations have the passkey. The challenge is consumed even if this fails. Throws `passkey_invalid` for any
 * mismatch, and what the gates throw.
 */
export async function signInInEnvironment(work: Work, sent: SignInVerifyBody): Promise<SessionReply> {
  const who = readWho(work, sent.email ?? '', true)
  const { userHandle, challengeId, credential } = { ...sent, userHandle: readHandle(sent) }
  const wanted = { credentialId: credential.id, userHandle }
  const [ceremony, holders] = await Promise.all([
    spendCeremony(work.platform.db, work.directory, 'login', challengeId),
    listPasskeysOfEnvironment(work.db, work.directory, wanted, MAX_HOLDERS),
  ])
  const [owner] = holders
  const about = { who, passkey: owner }
  const reason = findMismatch({ ceremony, who, owner, userHandle })
  if (reason !== null || !ceremony || !owner)
    throw await refusal(await nearest(work, owner), about, reason ?? 'challenge')
  const { proven, refused } = await verifyAll(work, { sent, ceremony, who, holders })
  const [first] = proven
  // The passkey of the signed user handle must be proved. A passkey of another user alone proves nothing about this
  // user.
  if (first?.passkey.id !== owner.id || !first)
    throw await refusal(await nearest(work, owner), about, refused?.refused ?? 'unknown_passkey', refused ?? undefined)
  return proven.length > 1 ? passkeyDiscovery.of(work.platform)(work, proven) : enter(first, who)
}

async function enter({ work, passkey, use }: ProvenPasskey, who: Identity | null): Promise<SessionReply> {
  const facts = await findSignInFacts(work, ownerOf(work, passkey))
  if (facts?.user_id !== passkey.user_id) throw await refusal(work, { who, passkey }, 'other_user')
  const done = await completeLogin(work, facts, { method: passkeyMethod, ...proofOf(passkey, use) })
  if (!done) throw await refusal(work, { who, passkey }, 'counter')
  return done
}

const ownerOf = ({ platform }: Work, { email, email_norm: norm }: OwnedPasskey) => identify(platform, { email, norm })

/** Returns an empty handle, which no passkey has, if the response has none. */
const readHandle = ({ credential }: SignInVerifyBody) => Buffer.from(credential.response.userHandle ?? '', 'base64url')

/** Returns a reason to refuse a response before its signature is verified, or null. */
function findMismatch(given: {
  ceremony: CeremonyRow | undefined
  who: Identity | null
  owner: OwnedPasskey | undefined
  userHandle: Buffer
}): string | null {
  const { ceremony, who, owner, userHandle } = given
  if (!ceremony) return 'challenge'
  if (ceremony.identity !== null && !sameHash(ceremony.identity, who?.hash ?? null)) return 'challenge'
  if (owner?.rp_id !== ceremony.rp_id) return 'unknown_passkey'
  if (who !== null && owner.email_norm !== who.address.norm) return 'other_user'
  // The browser got no list of passkeys, so the handle identifies the user (WebAuthn L3 §7.2 step 6).
  return owner.user_handle.equals(userHandle) ? null : 'other_user'
}

/** Chooses where a refusal is recorded: in the passkey's directory, or the environment's if the passkey is unknown. */
async function nearest(work: Work, owner: OwnedPasskey | undefined): Promise<Work> {
  const directory = owner && (await findDirectory(work.platform, owner.directory_id))
  return directory ? { ...work, directory } : work
}

interface PasskeyAnswer {
  sent: SignInVerifyBody
  ceremony: CeremonyRow
  who: Identity | null
  holders: OwnedPasskey[]
}

/** Returns the passkeys whose signature is right, in order, and the first refusal. */
async function verifyAll(work: Work, { sent, ceremony, who, holders }: PasskeyAnswer) {
  const rp = await relyingPartyOf(work)
  const proven: ProvenPasskey[] = []
  let refused: Refused | null = null
  for (const passkey of holders) {
    if (passkey.rp_id !== ceremony.rp_id || (who && passkey.email_norm !== who.address.norm)) continue
    const directory = await findDirectory(work.platform, passkey.directory_id)
    const inside = directory && { ...work, directory }
    const own = inside && (await relyingPartyIfOpen(inside, passkey))
    if (!inside || !own) continue
    // Loaded for the first passkey, because the library needs much memory.
    const { verifyAssertion } = await import('../webauthn.ts')
    const use = await verifyAssertion({ rp: stricter(rp, own), ceremony }, passkey, sent.credential)
    if ('refused' in use) refused ??= use
    else proven.push({ work: inside, passkey, use })
  }
  return { proven, refused }
}

/**
 * Combines two relying parties: an origin must be accepted by both the defaults and the organization, and a
 * fingerprint, face or PIN is required if either requires it.
 */
function stricter(rp: RelyingParty, own: RelyingParty): RelyingParty {
  const origins = [...rp.origins, ...own.origins].filter((origin) =>
    [rp, own].every((each) => acceptsOrigin(each, origin)),
  )
  const { settings } = own.settings.user_verification === 'required' ? own : rp
  return { ...rp, origins, takesLocalhost: rp.takesLocalhost && own.takesLocalhost, settings }
}

/**
 * Returns the relying party of a directory, if passkeys are on there and it is still the relying party of this
 * passkey.
 */
async function relyingPartyIfOpen(work: Work, { rp_id }: OwnedPasskey): Promise<RelyingParty | null> {
  if (!(await isServiceEnabled(work, 'passkeys'))) return null
  const own = await relyingPartyOf(work)
  return own.id === rp_id ? own : null
}

/**
 * Finds the passkey of a discovery token in one of its directories. Returns its owner and the proof for the sign-in,
 * or null if the passkey was deleted or can no longer sign in there.
 */
export async function resumePasskey(
  work: Work,
  passkeyIds: readonly string[],
  said: Omit<Assertion, 'deviceType'> & Partial<Assertion>,
) {
  const passkey = await findOwnedPasskey(work.db, work.directory, passkeyIds)
  const own = passkey && (await relyingPartyIfOpen(work, passkey))
  if (!passkey || !own || (own.settings.user_verification === 'required' && !said.userVerified)) return null
  const use = { ...said, deviceType: said.deviceType ?? passkey.device_type }
  return { passkey, owner: ownerOf(work, passkey), proof: { method: passkeyMethod, ...proofOf(passkey, use) } }
}
