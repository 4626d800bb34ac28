import { type Static, Type } from 'typebox'
import type { PasskeyRow } from '../passkey-credentials/passkey-credentials.ts'
import { authenticatorName } from './authenticators.ts'

const nullable = Type.Unsafe<string | null>({ type: ['string', 'null'] })
const base64url = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+={0,2}$', 'x-form': 'base64url' })

// WebAuthn L3 §4: at most 1023 bytes.
const credentialId = base64url(1366)
const clientDataJSON = base64url(16_384)
const ceremonyId = (from: string) =>
  Type.String({ minLength: 1, maxLength: 64, description: `As ${from} answered it.` })
const type = Type.Literal('public-key')

/** `toJSON()` of what `navigator.credentials.create()` answers. Browsers add fields, which are not looked at. */
export const RegistrationCredential = Type.Object(
  {
    id: credentialId,
    rawId: credentialId,
    type,
    response: Type.Object({
      clientDataJSON,
      attestationObject: base64url(65_536),
      transports: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$' }), { maxItems: 10 })),
    }),
  },
  { description: 'toJSON() of what navigator.credentials.create() answers.' },
)
export type RegistrationCredential = Static<typeof RegistrationCredential>

/** `toJSON()` of what `navigator.credentials.get()` answers. */
export const SignInCredential = Type.Object(
  {
    id: credentialId,
    rawId: credentialId,
    type,
    response: Type.Object({
      clientDataJSON,
      authenticatorData: base64url(16_384),
      signature: base64url(4096),
      userHandle: Type.Optional(Type.Union([base64url(88), Type.Null()])),
    }),
  },
  { description: 'toJSON() of what navigator.credentials.get() answers.' },
)
export type SignInCredential = Static<typeof SignInCredential>

export const RegisterBody = Type.Object({
  action: Type.Enum(['options', 'verify']),
  userId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Directory user (`id`) or auth account (`userId`).',
  }),
  challengeId: Type.Optional(ceremonyId('the step options')),
  credential: Type.Optional(RegistrationCredential),
  deviceName: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^\\P{Cc}*$',
      'x-form': 'one line of text',
      description: 'What the user calls the device. Default: the name of the authenticator, where it is known.',
    }),
  ),
  access_token: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'With the step options: of a session of this user, where require_recent_sign_in_seconds is set.',
    }),
  ),
})
export type RegisterBody = Static<typeof RegisterBody>

const Descriptor = Type.Object({
  type: Type.String(),
  id: Type.String(),
  transports: Type.Optional(Type.Array(Type.String())),
})
export type Descriptor = Static<typeof Descriptor>

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9) */
export const CreationOptions = Type.Object({
  rp: Type.Object({ id: Type.String(), name: Type.String() }),
  user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
  challenge: Type.String(),
  pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() })),
  timeout: Type.Integer({ description: 'Milliseconds.' }),
  excludeCredentials: Type.Array(Descriptor),
  authenticatorSelection: Type.Object({
    residentKey: Type.String(),
    requireResidentKey: Type.Boolean(),
    userVerification: Type.String(),
  }),
  attestation: Type.String(),
  extensions: Type.Object({ credProps: Type.Boolean() }),
})
export type CreationOptions = Static<typeof CreationOptions>

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.10) */
export const RequestOptions = Type.Object({
  challenge: Type.String(),
  timeout: Type.Integer({ description: 'Milliseconds.' }),
  rpId: Type.String(),
  allowCredentials: Type.Array(Descriptor),
  userVerification: Type.String(),
})
export type RequestOptions = Static<typeof RequestOptions>

/** A passkey as the API shows it. */
export const Passkey = Type.Object({
  id: Type.String({ format: 'uuid' }),
  credentialId: Type.String(),
  userId: Type.String({ format: 'uuid', description: 'Directory user.' }),
  deviceName: nullable,
  aaguid: Type.String({ format: 'uuid' }),
  authenticatorName: nullable,
  transports: Type.Array(Type.String()),
  deviceType: Type.String({
    description: '`multiDevice`: may be synchronized; `singleDevice`: never leaves its device.',
  }),
  backedUp: Type.Boolean(),
  rpId: Type.String({ description: 'Relying party that it works for.' }),
  createdAt: Type.String(),
  lastUsedAt: nullable,
})
export type Passkey = Static<typeof Passkey>

export const RegisterReply = Type.Object({
  options: Type.Optional(CreationOptions),
  challengeId: Type.Optional(Type.String()),
  success: Type.Optional(Type.Boolean()),
  credential: Type.Optional(Passkey),
})

export const SignInOptionsBody = Type.Object({
  email: Type.String({
    maxLength: 320,
    description: 'Compared without regard to case. Empty, with conditional: whoever has a passkey on the device.',
  }),
  conditional: Type.Optional(
    Type.Boolean({ description: 'For autofill, and for a button that asks for no address: names no passkey.' }),
  ),
})

export const SignInVerifyBody = Type.Object({
  email: Type.String({ maxLength: 320, description: 'As it was sent for the options; empty where that was.' }),
  challengeId: ceremonyId('the route options'),
  credential: SignInCredential,
})
export type SignInVerifyBody = Static<typeof SignInVerifyBody>

export const CredentialParams = Type.Object({
  credentialId: Type.String({ minLength: 1, description: '`id` or `credentialId` of the passkey.' }),
})

export function toPasskey(row: PasskeyRow): Passkey {
  const known = authenticatorName(row.aaguid)
  return {
    id: row.id,
    credentialId: row.credential_id,
    userId: row.user_id,
    deviceName: row.device_name ?? known,
    aaguid: row.aaguid,
    authenticatorName: known,
    transports: row.transports,
    deviceType: row.device_type,
    backedUp: row.backed_up,
    rpId: row.rp_id,
    createdAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }
}

/** As decoys are: how an authenticator is reached would tell a real one by its variety. */
export function toDecoyLike(row: Pick<PasskeyRow, 'credential_id'>): Descriptor {
  return { type: 'public-key', id: row.credential_id }
}

export function toDescriptor(row: Pick<PasskeyRow, 'credential_id' | 'transports'>): Descriptor {
  return { type: 'public-key', id: row.credential_id, transports: row.transports }
}
