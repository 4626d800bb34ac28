import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { mailedCode, mailedLink } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A mailed code and link for discovery, the token of another person, and a token that can create an organization. */
export interface DiscoveryRecords {
  discoveryEmail: string
  discoveryCode: string
  discoveryToken: string
  foundingToken: string
  discoveryLinkEmail: string
  ids: { discoveryOtp: string; discoveryLink: string }
}

export async function makeRecords(app: TestApp, { scoped, orgWide }: Start): Promise<DiscoveryRecords> {
  const [email, other, linked] = [freshEmail('dis'), freshEmail('cov'), freshEmail('ery')]
  succeeded(await scoped.post('/v1/users', { email: other }))
  const send = async (email: string) => {
    const { otp_id } = succeeded(await orgWide.post('/v1/auth/discovery/otp/send', { email }))
    return { email, otp_id, code: await mailedCode(app, email) }
  }
  const found = succeeded(await orgWide.post('/v1/auth/discovery/otp/verify', await send(other)))
  const { otp_id: discoveryOtp, code } = await send(email)
  succeeded(await orgWide.patch('/v1/auth/settings/defaults', { discovery_create_organizations: true }))
  const founder = await send(freshEmail('founder'))
  const founding = succeeded(await orgWide.post('/v1/auth/discovery/otp/verify', founder))
  succeeded(await orgWide.post('/v1/auth/discovery/magic-link/send', { email: linked }))
  const { token_hash: discoveryLink } = await mailedLink(app, linked, 'discovery_link')
  return {
    discoveryEmail: email,
    discoveryCode: code,
    discoveryToken: found.discovery_token,
    foundingToken: founding.discovery_token,
    discoveryLinkEmail: linked,
    ids: { discoveryOtp, discoveryLink },
  }
}

export const samples: Samples = {
  'POST /v1/auth/discovery/otp/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/discovery/otp/verify': ({ ids, discoveryEmail, discoveryCode }) => ({
    body: { email: discoveryEmail, otp_id: ids.discoveryOtp, code: discoveryCode },
  }),
  'POST /v1/auth/discovery/magic-link/send': ({ email }) => ({ body: { email } }),
  'POST /v1/auth/discovery/magic-link/verify': ({ ids, discoveryLinkEmail }) => ({
    body: { email: discoveryLinkEmail, token_hash: ids.discoveryLink },
  }),
  'POST /v1/auth/discovery/exchange': ({ discoveryToken }) => ({ body: { discovery_token: discoveryToken } }),
  'POST /v1/auth/discovery/create': ({ foundingToken }) => ({ body: { discovery_token: foundingToken, name: 'Acme' } }),
}

export const orgWideOnly = [
  'POST /v1/auth/discovery/otp/send',
  'POST /v1/auth/discovery/otp/verify',
  'POST /v1/auth/discovery/magic-link/send',
  'POST /v1/auth/discovery/magic-link/verify',
  'POST /v1/auth/discovery/create',
]
