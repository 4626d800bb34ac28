import { type Static, Type } from 'typebox'
import { described, named, nullable, ONE_LINE, oneOf } from '../../../platform/schema.ts'
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
const credentialId = described(base64url(1366, CREDENTIAL_ID), 'The credential’s own id, in base64url.')
const clientDataJSON = described(
  base64url(16_384, 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoicTBWN21YMmIifQ'),
  'What the browser signed: the challenge and the origin. Base64url.',
)
const ceremonyId = (from: string) =>
  Type.String({ minLength: 1, maxLength: 64, description: `\`challengeId\` in the response of ${from}.` })
const type = Type.Literal('public-key', { description: 'Always `public-key`.' })
const Transport = Type.String({ examples: ['internal'] })
const Timeout = Type.Integer({
  description: 'How long the browser waits for the user, in milliseconds.',
  examples: [300_000],
})

/** The `toJSON()` result of `navigator.credentials.create()`. Extra fields that browsers add are ignored. */
export const RegistrationCredential = named(
  'PasskeyRegistrationCredential',
  Type.Object(
    {
      id: described(credentialId, 'The credential’s own id, in base64url.'),
      rawId: described(credentialId, 'The same as `id`.'),
      type,
      response: Type.Object(
        {
          clientDataJSON,
          attestationObject: described(
            base64url(65_536, 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YViU'),
            'The new public key and the authenticator’s data, in base64url.',
          ),
          transports: Type.Optional(
            Type.Array(Type.String({ pattern: '^[a-z-]{1,32}$', examples: ['internal'] }), {
              description: 'How the authenticator can be reached, as `getTransports()` says.',
              maxItems: 10,
            }),
          ),
        },
        { description: 'Response of the authenticator (WebAuthn Level 3 §5.2.1).' },
      ),
    },
    { description: 'toJSON() of the result of navigator.credentials.create().' },
  ),
)
export type RegistrationCredential = Static<typeof RegistrationCredential>

/** The `toJSON()` result of `navigator.credentials.get()`. */
export const SignInCredential = named(
  'PasskeySignInCredential',
  Type.Object(
    {
      id: described(credentialId, 'The credential’s own id, in base64url.'),
      rawId: described(credentialId, 'The same as `id`.'),
      type,
      response: Type.Object(
        {
          clientDataJSON,
          authenticatorData: described(
            base64url(16_384, 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ'),
            'Flags and counter of the authenticator, in base64url.',
          ),
          signature: described(
            base64url(4096, 'MEUCIQDf1mK3pV7sYw9LxT2aBq8RzG5hJnC0uE6oI4kWvXtMsAIgZr'),
            'Signature over the authenticator data and the client data, in base64url.',
          ),
          userHandle: Type.Optional(
            nullable(
              base64url(88, USER_HANDLE),
              'User handle of the credential, in base64url. Null: the authenticator does not store a user handle.',
            ),
          ),
        },
        { description: 'Response of the authenticator (WebAuthn Level 3 §5.2.2).' },
      ),
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
  action: Type.Enum(['options', 'verify'], {
    description: '`options` starts the registration, `verify` completes it.',
  }),
  userId: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'The user: `id` or `userId` of the user.',
    examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'],
  }),
  challengeId: Type.Optional(ceremonyId('the action options')),
  credential: Type.Optional(RegistrationCredential),
  deviceName: Type.Optional(PasskeyName),
  access_token: Type.Optional(
    Type.String({
      maxLength: 8192,
      description:
        'With the action `options`: access token of a session of this user, if require_recent_sign_in_seconds is set.',
    }),
  ),
})
export type RegisterBody = Static<typeof RegisterBody>

const PublicKey = Type.String({ examples: ['public-key'] })
const Descriptor = named(
  'PasskeyDescriptor',
  Type.Object(
    {
      type: described(PublicKey, 'Always `public-key`.'),
      id: Type.String({ description: 'The credential’s own id, in base64url.', examples: [CREDENTIAL_ID] }),
      transports: Type.Optional(
        Type.Array(Transport, { description: 'How the authenticator can be reached, such as `internal` or `usb`.' }),
      ),
    },
    { description: 'A credential that the browser should offer or refuse.' },
  ),
)
export type Descriptor = Static<typeof Descriptor>

/** EdDSA, ES256, RS256 (RFC 8152, RFC 8812), in order of preference. */
export const ALGORITHMS = [-8, -7, -257]

/** PublicKeyCredentialCreationOptionsJSON (WebAuthn L3 §5.1.9) */
export const CreationOptions = named(
  'PasskeyCreationOptions',
  Type.Object(
    {
      rp: Type.Object(
        {
          id: Type.String({ description: 'Domain of the relying party (RP ID).' }),
          name: Type.String({ description: 'Name that devices show.' }),
        },
        { description: 'The relying party that the passkey will work for.' },
      ),
      user: Type.Object(
        {
          id: Type.String({
            description: 'User handle, in base64url. The handle is random and contains no personal data.',
          }),
          name: Type.String({ description: 'Name in the list of the device, usually the address.' }),
          displayName: Type.String({
            description: 'Label in the list of the device: the name or address, and the organization in parentheses.',
          }),
        },
        { description: 'The user that the passkey will sign in.' },
      ),
      challenge: Type.String({ description: 'Random bytes that the authenticator signs, in base64url.' }),
      pubKeyCredParams: Type.Array(
        Type.Object({
          type: Type.String({ description: 'Always `public-key`.' }),
          alg: Type.Integer({ description: 'COSE number of the algorithm: -8 EdDSA, -7 ES256, -257 RS256.' }),
        }),
        { description: 'Accepted algorithms, the preferred one first.' },
      ),
      timeout: Timeout,
      excludeCredentials: Type.Array(Descriptor, {
        description:
          'Passkeys that the user already has. An authenticator with one of these refuses to create another.',
      }),
      authenticatorSelection: Type.Object(
        {
          residentKey: Type.String({ description: 'Whether the passkey should be discoverable without an address.' }),
          requireResidentKey: Type.Boolean({ description: 'The same as `residentKey`, for older browsers.' }),
          userVerification: Type.String({
            description: 'Whether the device must verify the person, by PIN or biometrics.',
          }),
        },
        { description: 'Requirements for the authenticator.' },
      ),
      attestation: Type.String({ description: 'Always `none`: the device does not have to prove its make.' }),
      extensions: Type.Object(
        { credProps: Type.Boolean({ description: 'Asks the browser whether the passkey is discoverable.' }) },
        { description: 'Requested WebAuthn extensions.' },
      ),
    },
    { description: 'Options of a registration (WebAuthn Level 3): pass them on as they are.' },
  ),
)
export type CreationOptions = Static<typeof CreationOptions>

/** The response to the action `options`. */
export const REGISTER_EXAMPLE = {
  options: {
    rp: { id: RP_ID, name: 'Acme' },
    user: { id: USER_HANDLE, name: 'ada@acme.example', displayName: 'Ada Lovelace (Acme)' },
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
  Type.Object(
    {
      challenge: Type.String({
        description: 'Random bytes that the authenticator signs, in base64url.',
        examples: [CHALLENGE],
      }),
      timeout: Timeout,
      rpId: Type.String({ description: 'The domain that the passkeys work for.', examples: [RP_ID] }),
      allowCredentials: Type.Array(Descriptor, {
        description: 'Passkeys that may be used. Empty: any passkey on the device.',
        examples: [[{ type: 'public-key', id: CREDENTIAL_ID }]],
      }),
      userVerification: Type.String({
        description: 'Whether the device must verify the person, by PIN or biometrics.',
        examples: ['required'],
      }),
    },
    { description: 'Options of a sign-in (WebAuthn Level 3): pass them on as they are.' },
  ),
)
export type RequestOptions = Static<typeof RequestOptions>

/** A passkey as the API shows it. */
export const Passkey = named(
  'Passkey',
  Type.Object(
    {
      id: Type.String({ description: 'A UUID that the service assigns. The id never changes.', format: 'uuid' }),
      credentialId: Type.String({
        description: 'The credential’s own id, in base64url, as browsers know it.',
        examples: [CREDENTIAL_ID],
      }),
      userId: nullable(
        Type.String({
          format: 'uuid',
          description:
            'The user’s auth account: `sub` of tokens. Null until the first sign-in, password or invitation.',
          examples: ['0198b6f2-81d0-7b55-8c0e-2f64a9d7b310'],
        }),
      ),
      directoryUserId: Type.String({
        format: 'uuid',
        description: 'The user: `id` in `/v1/users`.',
        examples: ['0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'],
      }),
      deviceName: nullable(
        Type.String({ examples: ['Ada’s phone'] }),
        'The name that the user gave the passkey, or the name of the authenticator. Null: unknown.',
      ),
      aaguid: Type.String({
        description: 'Model of the authenticator (AAGUID). All zeros if the authenticator does not disclose its model.',
        format: 'uuid',
        examples: ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd'],
      }),
      authenticatorName: nullable(
        Type.String({ examples: ['Apple Passwords'] }),
        'Name of the authenticator, such as a password manager, from its AAGUID. Null: unknown.',
      ),
      transports: Type.Array(Transport, {
        description: 'How the authenticator can be reached, as reported by the browser.',
      }),
      deviceType: oneOf(['singleDevice', 'multiDevice'], {
        description: '`multiDevice`: may be synced. `singleDevice`: stays on its device.',
        examples: ['multiDevice'],
      }),
      backedUp: Type.Boolean({ description: 'Whether the passkey was synced to other devices when it was last used.' }),
      rpId: Type.String({ description: 'The relying party that the passkey works for.', examples: [RP_ID] }),
      createdAt: Type.String({ format: 'date-time' }),
      lastUsedAt: nullable(
        Type.String({ format: 'date-time' }),
        'When the user last signed in with this passkey. Null: never.',
      ),
    },
    { description: 'A passkey of a user, without its key.' },
  ),
)
export type Passkey = Static<typeof Passkey>

export const ChallengeId = Type.String({
  description: 'The challenge. Send it with the credential within 300 seconds.',
  examples: [CEREMONY_ID],
})

export const RegisterReply = Type.Object({
  options: Type.Optional(
    described(CreationOptions, 'With the action `options`: options for `navigator.credentials.create()`.'),
  ),
  challengeId: Type.Optional(
    described(ChallengeId, 'With the action `options`: the challenge. Send it with `verify`.'),
  ),
  success: Type.Optional(Type.Boolean({ description: 'With the action `verify`: always `true`.' })),
  credential: Type.Optional(described(Passkey, 'With the action `verify`: the new passkey.')),
})

export const SignInOptionsBody = Type.Object({
  email: Type.Optional(
    Type.String({
      maxLength: 320,
      description:
        'Email address of the user. Case does not matter. If absent or empty, any user with a passkey on the device may sign in. With subOrgId, a request without an email requires `conditional`.',
      examples: ['ada@acme.example'],
    }),
  ),
  conditional: Type.Optional(
    Type.Boolean({
      description:
        '`true` for autofill, or for a sign-in button without an email address. The options then list no passkeys.',
    }),
  ),
})

export const SignInVerifyBody = Type.Object({
  email: Type.Optional(
    Type.String({
      maxLength: 320,
      description:
        'The email address that was sent to request the options. Absent or empty if the options were requested without an email address.',
      examples: ['ada@acme.example'],
    }),
  ),
  challengeId: Type.String({ ...ceremonyId('the route options'), examples: [CEREMONY_ID] }),
  credential: SignInCredential,
})
export type SignInVerifyBody = Static<typeof SignInVerifyBody>

/** `deviceName` null restores the authenticator's name. */
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

/** Leaves out the transports, as decoys do. Their variety would reveal a real passkey. */
export function toDecoyLike(row: Pick<PasskeyRow, 'credential_id'>): Descriptor {
  return { type: 'public-key', id: row.credential_id }
}

export function toDescriptor(row: Pick<PasskeyRow, 'credential_id' | 'transports'>): Descriptor {
  return { type: 'public-key', id: row.credential_id, transports: row.transports }
}
