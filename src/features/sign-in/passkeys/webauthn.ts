import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers'
import { acceptsOrigin, type RelyingParty } from '../relying-party/relying-party.ts'
import type { CeremonyRow } from './ceremony-store.ts'
import { ALGORITHMS, type RegistrationCredential, type SignInCredential } from './schema.ts'
import type { NewPasskey, PasskeyRow } from './store.ts'

// Large enough for RSA with 4096 bits. Larger keys make verification expensive.
const MAX_PUBLIC_KEY_BYTES = 1024

/** What the browser's response must match. */
export interface Expected {
  rp: RelyingParty
  ceremony: Pick<CeremonyRow, 'challenge' | 'rp_id'>
}

export interface Refused {
  refused: 'origin' | 'not_verified' | 'backup_eligibility' | 'counter'
  cause?: unknown
}

export type MadePasskey = Omit<NewPasskey, 'userId' | 'deviceName' | 'userHandle' | 'epoch'>

/** Verifies the passkey that a browser created (WebAuthn L3 §7.1). */
export async function verifyRegistration(
  { rp, ceremony }: Expected,
  credential: RegistrationCredential,
): Promise<MadePasskey | Refused> {
  try {
    const { clientDataJSON, attestationObject, transports = [] } = credential.response
    const origin = acceptedOrigin(rp, clientDataJSON)
    if (origin === null) return { refused: 'origin' }
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, attestationObject: withoutAttestation(attestationObject) },
        clientExtensionResults: {},
      },
      expectedChallenge: ceremony.challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: ceremony.rp_id,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (registrationInfo?.credential.id !== credential.id) return { refused: 'not_verified' }
    const { credential: made, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo
    if (made.publicKey.length > MAX_PUBLIC_KEY_BYTES) return { refused: 'not_verified' }
    return {
      credentialId: made.id,
      publicKey: Buffer.from(made.publicKey),
      counter: made.counter,
      transports: [...new Set(transports)],
      deviceType: credentialDeviceType,
      backedUp: credentialBackedUp,
      aaguid,
      rpId: ceremony.rp_id,
    }
  } catch (cause) {
    return { refused: 'not_verified', cause }
  }
}

/** What a signature proved. */
export interface Assertion {
  counter: number
  /** `multiDevice`: the passkey may be synced (it is backup eligible). */
  deviceType: PasskeyRow['device_type']
  backedUp: boolean
  /** Whether the user was verified by fingerprint, face or PIN. */
  userVerified: boolean
}

/** Checks whether the passkey signed this challenge, and returns how (WebAuthn L3 §7.2). */
export async function verifyAssertion(
  { rp, ceremony }: Expected,
  passkey: PasskeyRow,
  credential: SignInCredential,
): Promise<Assertion | Refused> {
  try {
    const { clientDataJSON, authenticatorData, signature } = credential.response
    const origin = acceptedOrigin(rp, clientDataJSON)
    if (origin === null) return { refused: 'origin' }
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: ceremony.challenge.toString('base64url'),
      expectedOrigin: origin,
      expectedRPID: ceremony.rp_id,
      requireUserVerification: rp.settings.user_verification === 'required',
      // A stored counter of 0 skips the library's check, because the right check depends on whether the passkey is
      // backed up.
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    })
    const { newCounter, credentialBackedUp, credentialDeviceType, userVerified } = authenticationInfo
    if (!verified) return { refused: 'not_verified' }
    // WebAuthn L3 §7.2 step 18 allows no change of backup eligibility. Authenticators that start to sync mark existing
    // passkeys as eligible, so that change is accepted. The opposite change would hide that the key has left its
    // device.
    if (passkey.device_type === 'multiDevice' && credentialDeviceType === 'singleDevice')
      return { refused: 'backup_eligibility' }
    const stands = Number(passkey.counter) === 0 && newCounter === 0
    // A passkey that becomes eligible in this response was on a single device until now.
    const isSynced = credentialBackedUp && passkey.device_type === 'multiDevice'
    if (!isSynced && !stands && newCounter <= Number(passkey.counter)) return { refused: 'counter' }
    return { counter: newCounter, deviceType: credentialDeviceType, backedUp: credentialBackedUp, userVerified }
  } catch (cause) {
    return { refused: 'not_verified', cause }
  }
}

/**
 * Returns the page's origin if it is accepted and the page is not in another site's frame. The signature covers both.
 */
function acceptedOrigin(rp: RelyingParty, clientDataJSON: string): string | null {
  const { origin, crossOrigin } = decodeClientDataJSON(clientDataJSON)
  return typeof origin === 'string' && !crossOrigin && acceptsOrigin(rp, origin) ? origin : null
}

/**
 * Removes the attestation statement, as browsers do for attestation `none`. This matters for clients that are not
 * browsers: the statement is not needed, and the URLs in its certificates must not be fetched.
 */
function withoutAttestation(attestationObject: string): string {
  const authData = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData')
  const none = new Map<string, string | Uint8Array | Map<string, string>>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  return isoBase64URL.fromBuffer(isoCBOR.encode(none))
}
