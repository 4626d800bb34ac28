import { type Static, Type } from 'typebox'
import { named, nullable, ONE_LINE, oneOf } from '../../../platform/schema.ts'
import { authenticatorName } from '../relying-party/relying-party.ts'
import type { PasskeyRow } from './store.ts'

const CREDENTIAL_ID = 'pJ4yV9mQ2kL8tB1xW6sZ0cNfRhGdEuAo3iTq7XvKjMw'
const USER_HANDLE = 'AZi28nwafT6bQlofDI5tIQ'
const CHALLENGE = 'q0V7mX2bT9sLkE4wYcR1uHnZ8dPjA5gF3oJiKxN6vMs'
const CEREMONY_ID = '0198b6f3-1b2c-7e4d-8f60-9a7b5c3d2e1f'
const RP_ID = 'acme.example'

const base64url = (maxLength: number, example: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[A-Za-z0-9_-]+={0,2}$',
    'x-form': 'base64url',
    examples: [example],
  })

// WebAuthn L3 §4: at most 1023 bytes.
const credentialId = base64url(1366, CREDENTIAL_ID)
const clientDataJSON = base64url(16_384, 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoicTBWN21YMmIifQ')
const ceremonyId = (from: string) =>
  Type.String({ minLength: 1, maxLength: 64, description: `From the response of ${from}.` })
const type = Type.Literal('public-key')
const Transport = Type.String({ examples: ['internal'] })
const Timeout = Type.Integer({ description: 'Milliseconds.', examples: [300_000] })

/** `toJSON()` of the result of `navigator.credentials.create()`. Browsers add fields, which are ignored. */
export const RegistrationCredential = named(
  'PasskeyRegistrationCredential',
  Type.Object(
    {
      id: credentialId,
      rawId: credentialId,
      type,
      response: Type.Object({
        clientDataJSON,
        attestationObject: base64url(65_536, 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViU'),
        transports: Type.Optional(
          Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$', examples: ['internal'] }), { maxItems: 10 }),
        ),
      }),
    },
    { description: 'toJSON() of the result of navigator.credentials.create().' },
  ),
)
export type RegistrationCredential = Static<typeof RegistrationCredential>

/** `toJSON()` of the result of `navigator.credentials.get()`. */
export const SignInCredential = named(
  'PasskeySignInCredential',
  Type.Object(
    {
      id: credentialId,
      rawId: credentialId,
      type,
      response: Type.Object({
        clientDataJSON,
        authenticatorData: base64url(16_384, 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ'),
        signature: base64url(4096, 'MEUCIQDf1mK3pV7sYw9LxT2aBq8RzG5hJnC0uE6oI4kWvXtMsAIgZr'),
        userHandle: Type.Optional(nullable(base64url(88, USER_HANDLE))),
      }),
    },
    { description: 'toJSON() of the result of navigator.credentials.get().' },
  ),
)
export type SignInCredential = Static<typeof SignInCredential>

export const PasskeyName = named(
  'PasskeyName',
  Type.String({
    maxLength: 100,
    ...ONE_LINE,
    description: 'The user’s name for the device. Default: the name of the authenticator, if known.',
  }),
)

export const RegisterBody = Type.Object({
  action: Type.Enum(['options', 'verify']),
  userId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Directory user (`id`) or auth account (`userId`).',
    examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'],
  }),
  challengeId: Type.Optional(ceremonyId('the action options')),
  credential: Type.Optional(RegistrationCredential),
  deviceName: Type.Optional(PasskeyName),
  access_token: Type.Optional(
    Type.String({
      maxLength: 8192,
      description: 'With the action options: of a session of this user, if require_recent_sign_in_seconds is set.',
    }),
  ),
})
export type RegisterBody = Static<typeof RegisterBody>

const PublicKey = Type.String({ examples: ['public-key'] })
const Descriptor = named(
  'PasskeyDescriptor',
  Type.Object({
    type: PublicKey,
    id: Type.String({ examples: [CREDENTIAL_ID] }),
    transports: Type.Optional(Type.Array(Transport)),
  }),
)
export type Descriptor = Static<typeof Descriptor>

/** EdDSA, ES256, RS256 (RFC 8152, RFC 8812), in order of preference. */
export const ALGORITHMS = [-8, -7, -257]

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9) */
export const CreationOptions = named(
  'PasskeyCreationOptions',
  Type.Object({
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    challenge: Type.String(),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.String(), alg: Type.Integer() })),
    timeout: Timeout,
    excludeCredentials: Type.Array(Descriptor),
    authenticatorSelection: Type.Object({
      residentKey: Type.String(),
      requireResidentKey: Type.Boolean(),
      userVerification: Type.String(),
    }),
    attestation: Type.String(),
    extensions: Type.Object({ credProps: Type.Boolean() }),
  }),
)
export type CreationOptions = Static<typeof CreationOptions>

/** The response of the first of the two actions. */
export const REGISTER_EXAMPLE = {
  options: {
    rp: { id: RP_ID, name: 'Acme' },
    user: { id: USER_HANDLE, name: 'ada@acme.example', displayName: 'Ada Lovelace' },
    challenge: CHALLENGE,
    pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
    attestation: 'none',
    extensions: { credProps: true },
  },
  challengeId: CEREMONY_ID,
}

/** PublicKeyCredentialRequestOptionsJSON (WebAuthn L3 §5.1.10) */
export const RequestOptions = named(
  'PasskeyRequestOptions',
  Type.Object({
    challenge: Type.String({ examples: [CHALLENGE] }),
    timeout: Timeout,
    rpId: Type.String({ examples: [RP_ID] }),
    allowCredentials: Type.Array(Descriptor, { examples: [[{ type: 'public-key', id: CREDENTIAL_ID }]] }),
    userVerification: Type.String({ examples: ['required'] }),
  }),
)
export type RequestOptions = Static<typeof RequestOptions>

/** A passkey as the API shows it. */
export const Passkey = named(
  'Passkey',
  Type.Object({
    id: Type.String({ format: 'uuid' }),
    credentialId: Type.String({ examples: [CREDENTIAL_ID] }),
    userId: nullable(
      Type.String({
        format: 'uuid',
        description: 'Auth account.',
        examples: ['0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'],
      }),
    ),
    directoryUserId: Type.String({
      format: 'uuid',
      description: 'Directory user.',
      examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'],
    }),
    deviceName: nullable(Type.String({ examples: ['Ada’s phone'] })),
    aaguid: Type.String({ format: 'uuid', examples: ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd'] }),
    authenticatorName: nullable(Type.String({ examples: ['Apple Passwords'] })),
    transports: Type.Array(Transport),
    deviceType: oneOf(['singleDevice', 'multiDevice'], {
      description: '`multiDevice`: may be synced; `singleDevice`: never leaves its device.',
      examples: ['multiDevice'],
    }),
    backedUp: Type.Boolean(),
    rpId: Type.String({ description: 'The relying party it works for.', examples: [RP_ID] }),
    createdAt: Type.String({ format: 'date-time' }),
    lastUsedAt: nullable(Type.String({ format: 'date-time' })),
  }),
)
export type Passkey = Static<typeof Passkey>

export const ChallengeId = Type.String({ examples: [CEREMONY_ID] })

export const RegisterReply = Type.Object({
  options: Type.Optional(CreationOptions),
  challengeId: Type.Optional(ChallengeId),
  success: Type.Optional(Type.Boolean()),
  credential: Type.Optional(Passkey),
})

export const SignInOptionsBody = Type.Object({
  email: Type.Optional(
    Type.String({
      maxLength: 320,
      description:
        'Case-insensitive. Absent or empty: any user with a passkey on the device; with subOrgId only with conditional.',
      examples: ['ada@acme.example'],
    }),
  ),
  conditional: Type.Optional(
    Type.Boolean({ description: 'For autofill, or a button that asks for no address: lists no passkeys.' }),
  ),
})

export const SignInVerifyBody = Type.Object({
  email: Type.Optional(
    Type.String({
      maxLength: 320,
      description: 'As sent for the options; absent or empty if it was there.',
      examples: ['ada@acme.example'],
    }),
  ),
  challengeId: Type.String({ ...ceremonyId('the route options'), examples: [CEREMONY_ID] }),
  credential: SignInCredential,
})
export type SignInVerifyBody = Static<typeof SignInVerifyBody>

/** Null: the name of the authenticator. */
export const PasskeyPatch = Type.Object({ deviceName: nullable(PasskeyName) })

export const CredentialParams = Type.Object({
  credentialId: Type.String({ minLength: 1, description: '`id` or `credentialId` of the passkey.' }),
})

type ShownPasskey = Omit<PasskeyRow, 'directory_id' | 'public_key' | 'counter' | 'user_handle'>

/** A passkey of a user, as the API shows it. */
export function toPasskey(row: ShownPasskey, holder: { auth_account_id: string | null }): Passkey {
  const known = authenticatorName(row.aaguid)
  return {
    id: row.id,
    credentialId: row.credential_id,
    userId: holder.auth_account_id,
    directoryUserId: row.user_id,
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

/** Without transports, as in decoys: their variety would reveal a real passkey. */
export function toDecoyLike(row: Pick<PasskeyRow, 'credential_id'>): Descriptor {
  return { type: 'public-key', id: row.credential_id }
}

export function toDescriptor(row: Pick<PasskeyRow, 'credential_id' | 'transports'>): Descriptor {
  return { type: 'public-key', id: row.credential_id, transports: row.transports }
}
