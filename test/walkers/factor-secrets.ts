import type { Tenant } from '../harness.ts'
import { newPasskey } from '../people/authenticator.ts'
import { codeOf, enrollTotp, makeProvenUser, signInByLink, succeeded } from '../people/factors.ts'
import { PAGE, register, signInOptions } from '../people/passkeys.ts'

/** What there is to keep of second factors and passkeys, and the answers after it was shown once. */
export interface FactorSecrets {
  secrets: string[]
  replies: string[]
}

/** Enrolls and uses what makes a second factor, rightly and wrongly. Codes of six digits are found anywhere by chance. */
export async function useFactors(tenant: Tenant): Promise<FactorSecrets> {
  const subOrgId = await tenant.organization()
  const app = await useApp(tenant, subOrgId)
  const passkey = await usePasskey(tenant, subOrgId)
  return { secrets: [...app.secrets, ...passkey.secrets], replies: [...app.replies, ...passkey.replies] }
}

interface Tokens {
  access_token: string
  refresh_token: string
}

const textsOf = ({ access_token, refresh_token }: Tokens) => [access_token, refresh_token]

async function useApp(tenant: Tenant, subOrgId: string): Promise<FactorSecrets> {
  succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, trusted_device_days: 30 }))
  const { id: userId, email } = await makeProvenUser(tenant, subOrgId)
  const begun = succeeded(await tenant.post('/v1/mfa/totp', { subOrgId, userId }))
  const wrong = await tenant.put('/v1/mfa/totp', { subOrgId, userId, pendingId: begun.pendingId, code: '000000' })
  const { secret, backupCodes } = await enrollTotp(tenant, userId, { subOrgId })
  const challenge = async (headers = {}) => succeeded(await signInByLink(tenant, email, { subOrgId, headers }))
  const verify = (challenge_token: string, code: string, more = {}) =>
    tenant.post('/v1/mfa/challenge/verify', { subOrgId, challenge_token, code, ...more })
  const first: string = (await challenge()).challenge_token
  const guesses = [
    await verify(first, '000000'),
    await verify(first, backupCodes[0]?.replace(/.$/, (last) => (last === 'Z' ? 'Y' : 'Z')) ?? ''),
  ]
  const passed = succeeded(await verify(first, backupCodes[1] ?? '', { trust_device: true }))
  const device: string = passed.trusted_device_token
  const trusted = await challenge({ 'x-trusted-device': device })
  const second: string = (await challenge()).challenge_token
  const again = succeeded(await verify(second, codeOf(secret, 1)))
  const renewed = succeeded(await tenant.post('/v1/mfa/totp/backup-codes', { subOrgId, userId })).backupCodes
  const look = [
    await tenant.get(`/v1/mfa/totp?subOrgId=${subOrgId}&userId=${userId}`),
    await tenant.get(`/v1/mfa/trusted-devices?subOrgId=${subOrgId}&userId=${userId}`),
  ]
  const codes: string[] = [...backupCodes, ...renewed]
  return {
    secrets: [
      ...[begun.secret, begun.otpauthUrl, begun.qrDataUrl, secret, first, second, device],
      ...codes,
      // As they are hashed.
      ...codes.map((code) => code.replaceAll('-', '')),
      ...[passed.session, trusted.session, again.session].flatMap(textsOf),
    ],
    replies: [wrong, ...guesses, ...look].map(({ text }) => text),
  }
}

async function usePasskey(tenant: Tenant, subOrgId: string): Promise<FactorSecrets> {
  const { id: userId, email } = await makeProvenUser(tenant, subOrgId)
  const passkey = newPasskey()
  const registered = await register(tenant, { subOrgId, userId }, passkey)
  const answer = async (origin: string) => {
    const { options, challengeId } = await signInOptions(tenant, subOrgId, email)
    const credential = passkey.use(options, { origin })
    const reply = await tenant.post('/v1/auth/login/passkey/verify', { subOrgId, email, challengeId, credential })
    return { challenge: String(options.challenge), credential, reply }
  }
  const [refused, accepted] = [await answer('https://evil.example'), await answer(PAGE)]
  const list = await tenant.get(`/v1/webauthn/credentials?subOrgId=${subOrgId}&userId=${userId}`)
  return {
    secrets: [
      ...[refused, accepted].flatMap(({ challenge, credential: { response } }) => [
        challenge,
        response.signature,
        response.clientDataJSON,
      ]),
      ...textsOf(succeeded(accepted.reply).session),
    ],
    replies: [registered, refused.reply, list].map(({ text }) => text),
  }
}
