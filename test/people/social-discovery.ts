import type { Caller, Reply, TestApp } from '../harness.ts'
import type { OpPeer } from '../peers/op-peer.ts'
import { callBack, startAt } from '../peers/social-peer.ts'
import { succeeded } from './factors.ts'
import { arrived } from './oidc-organization.ts'
import { newEmail } from './people.ts'

/** The application of a test at a provider. */
export const APPLICATION = { client_id: 'client', client_secret: 'op-secret' }

export type Claims = Record<string, unknown>

/** A person at Google, which vouches for the address. */
export const vouched = (email = newEmail()): Claims & { email: string } => ({
  sub: `g-${email}`,
  email,
  email_verified: true,
  hd: 'example.com',
  name: 'Ada Lovelace',
})

/** Turns a provider on for sign-ins without an organization. */
export async function switchOn(key: Caller, provider = 'google', fields: object = APPLICATION): Promise<void> {
  succeeded(await key.put('/v1/social/providers/defaults', { provider, enabled: true, ...fields }))
}

/** What the application gets of a sign-in: in the organization of the fields, or in none. */
export async function signInAtPeer(
  app: TestApp,
  key: Caller,
  { peer, provider = 'google', claims, ...fields }: { peer: OpPeer; provider?: string; claims: Claims } & Claims,
): Promise<Record<string, string>> {
  const { authorization_url, state } = await startAt(key, provider, { openSignup: undefined, ...fields })
  const { code } = peer.signIn(authorization_url, claims)
  return arrived(await callBack(app, { code, state }))
}

/** The answer of discovery to a sign-in without an organization. */
export async function discoverAtPeer(...[app, key, asked]: Parameters<typeof signInAtPeer>) {
  const { code } = await signInAtPeer(app, key, asked)
  return succeeded(await key.post('/v1/auth/token/exchange', { code }))
}

export const enter = (key: Caller, subOrgId: string, discovery_token: string): Promise<Reply> =>
  key.post('/v1/auth/discovery/exchange', { subOrgId, discovery_token })
