import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { decodeAttestationObject, decodeClientDataJSON, isoBase64URL, isoCBOR } from '@simplewebauthn/server/helpers'
import type { CeremonyRow, NewPasskey, PasskeyRow } from '../passkey-credentials/passkey-credentials.ts'
import { acceptsOrigin, type RelyingParty } from './relying-party.ts'
import type { RegistrationCredential, SignInCredential } from './schema.ts'

/** EdDSA, ES256, RS256 (RFC 8152, RFC 8812), as we like them best. */
export const ALGORITHMS = [-8, -7, -257]

// RSA of 4096 bits with room; larger keys cost whoever verifies with them.
const MAX_PUBLIC_KEY_BYTES = 1024

/** What a browser answers to. */
export interface Expected {
  rp: RelyingParty
  ceremony: Pick<CeremonyRow, 'challenge' | 'rp_id'>
}

export interface Refused {
  refused: 'origin' | 'not_verified' | 'counter'
  cause?: unknown
}

export type MadePasskey = Omit<NewPasskey, 'userId' | 'deviceName' | 'userHandle' | 'epoch'>

/** The passkey that a browser made (WebAuthn L3 §7.1). */
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
  backedUp: boolean
  /** By fingerprint, face or PIN. */
  userVerified: boolean
}

/** Whether the passkey signed this challenge, and how (WebAuthn L3 §7.2). */
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
      // A stored counter of 0 leaves the judgement of the counter to us: it depends on the backup.
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: 0 },
    })
    const { newCounter, credentialBackedUp, credentialDeviceType, userVerified } = authenticationInfo
    // Whether a passkey may leave its device never changes (WebAuthn L3 §7.2 step 18).
    if (!verified || credentialDeviceType !== passkey.device_type) return { refused: 'not_verified' }
    const stands = Number(passkey.counter) === 0 && newCounter === 0
    if (!credentialBackedUp && !stands && newCounter <= Number(passkey.counter)) return { refused: 'counter' }
    return { counter: newCounter, backedUp: credentialBackedUp, userVerified }
  } catch (cause) {
    return { refused: 'not_verified', cause }
  }
}

/** The page's origin, if it is one of ours and no frame in somebody else's page. The signature covers both. */
function acceptedOrigin(rp: RelyingParty, clientDataJSON: string): string | null {
  const { origin, crossOrigin } = decodeClientDataJSON(clientDataJSON)
  return typeof origin === 'string' && !crossOrigin && acceptsOrigin(rp, origin) ? origin : null
}

/**
 * What a browser makes of an answer where attestation is `none`, for callers that are none: statements about the make
 * of an authenticator are neither needed nor followed to where their certificates point.
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
