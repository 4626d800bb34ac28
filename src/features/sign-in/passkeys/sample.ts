import type { TestApp } from '../../../../test/harness.ts'
import { newPasskey } from '../../../../test/people/authenticator.ts'
import { newHolder, pageOf, registrationOptions, signInOptions } from '../../../../test/people/passkeys.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/**
 * A user with a passkey, and a browser's responses to two challenges: for a sign-in, and for creating a second
 * passkey.
 */
export interface PasskeyRecords {
  passkeyEmail: string
  passkeyAnswer: object
  madePasskey: object
  ids: { passkeyUser: string; passkey: string; passkeyChallenge: string; registrationChallenge: string }
}

export async function makeRecords(_: TestApp, { scoped, ids }: Start): Promise<PasskeyRecords> {
  const holder = await newHolder(scoped, ids.organization)
  const login = await signInOptions(scoped, ids.organization, holder.email)
  const registration = await registrationOptions(scoped, ids.organization, holder.userId)
  return {
    passkeyEmail: holder.email,
    passkeyAnswer: holder.passkey.use(login.options, { origin: pageOf(login.options.rpId) }),
    madePasskey: newPasskey().make(registration.options, { origin: pageOf(registration.options.rp.id) }),
    ids: {
      passkeyUser: holder.userId,
      passkey: holder.credentialId,
      passkeyChallenge: login.challengeId,
      registrationChallenge: registration.challengeId,
    },
  }
}

export const samples: Samples = {
  'POST /v1/auth/passkey/register': ({ ids, madePasskey }) => ({
    body: {
      action: 'verify',
      userId: ids.passkeyUser,
      challengeId: ids.registrationChallenge,
      credential: madePasskey,
    },
  }),
  'POST /v1/auth/login/passkey/options': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/login/passkey/verify': ({ ids, passkeyEmail, passkeyAnswer }) => ({
    body: { email: passkeyEmail, challengeId: ids.passkeyChallenge, credential: passkeyAnswer },
  }),
  'GET /v1/webauthn/credentials': ({ ids }) => ({ query: { userId: ids.passkeyUser } }),
  'PATCH /v1/webauthn/credentials/{credentialId}': ({ ids }) => ({
    params: { credentialId: ids.passkey },
    body: { deviceName: 'Work laptop' },
  }),
  'DELETE /v1/webauthn/credentials/{credentialId}': ({ ids }) => ({ params: { credentialId: ids.passkey } }),
}

export const notIds = {
  'POST /v1/auth/passkey/register id': 'created by the authenticator',
  'POST /v1/auth/passkey/register rawId': 'created by the authenticator',
  'POST /v1/auth/login/passkey/verify id': 'created by the authenticator',
  'POST /v1/auth/login/passkey/verify rawId': 'created by the authenticator',
}
