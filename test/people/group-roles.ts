import { fresh } from '../fresh.ts'
import type { OpPeer } from '../peers/op-peer.ts'
import { succeeded } from './factors.ts'
import { arrived, callBack, type FederatedApp, type Proven, provenOrganization, start } from './oidc-organization.ts'
import { provisioned } from './scim.ts'
import { answered } from './scim-answers.ts'

/** The records of an organization with groups that give roles. */
export interface GroupedOrganization {
  home: Proven
  scim: Awaited<ReturnType<typeof provisioned>>
  /** By slug, the ids of its roles. */
  roles: Record<'payer' | 'reader', string>
}

export async function groupedOrganization({ app, dns, tenant }: FederatedApp): Promise<GroupedOrganization> {
  const home = await provenOrganization({ dns, tenant })
  const make = async (name: string) =>
    succeeded(await home.key.post('/v1/rbac/roles', { name, permissions: [`${name.toLowerCase()}:do`] })).role.id
  const roles = { payer: await make('Payer'), reader: await make('Reader') }
  return { home, scim: await provisioned(app, tenant, home.id), roles }
}

/** A sign-in by a connection, with these groups: what the application gets. */
export async function signInWith(
  { app, home, peer }: { app: FederatedApp['app']; home: Proven; peer: OpPeer },
  connectionId: string,
  claims: { sub: string; email: string; groups?: string[] } & Record<string, unknown>,
): Promise<Record<string, string>> {
  const { authorization_url, state } = await start(home, connectionId)
  const { code } = peer.signIn(authorization_url, claims)
  return arrived(await callBack(app, { code, state }))
}

/** A user that SCIM provisioned, with an address of the proved domain. */
export async function provisionedUser({ home, scim }: GroupedOrganization): Promise<{ id: string; email: string }> {
  const email = `${fresh()}@${home.domain}`
  const { id } = answered(await scim.call('POST', '/Users', { userName: email, externalId: fresh() }), 201)
  return { id, email }
}

/** The roles of a user, by every route that shows them. */
export async function rolesSeen(home: Proven, { id, tokens }: { id: string; tokens: string[] }) {
  const { user } = succeeded(await home.key.get(`/v1/users/${id}`))
  const given = succeeded(await home.key.get(`/v1/rbac/users/${id}/roles`))
  const check = async (permission: string) =>
    succeeded(await home.key.post('/v1/rbac/check', { userId: id, permission })).allowed as boolean
  const checks = { admin: await check('sso:write'), payer: await check('payer:do'), reader: await check('reader:do') }
  const live = await Promise.all(tokens.map((token) => home.key.post('/v1/auth/token/introspect', { token })))
  return { user, given, checks, introspected: live.map((reply) => succeeded(reply)) }
}
