import { expect } from 'vitest'
import { fresh } from '../fresh.ts'
import type { Caller, TestApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import {
  arrived,
  callBack,
  connect,
  type FederatedApp,
  HOME,
  provenOrganization,
  start,
} from '../people/oidc-organization.ts'
import { makeSamlOrganization, postResponse } from '../people/saml-connection.ts'
import { provisioned, type ScimClient } from '../people/scim.ts'
import type { OpPeer } from './op-peer.ts'

/** What an identity provider says of a person. */
export interface Told {
  subject: string
  email: string
  /** A name that administrators assign; `more` has one that people choose, such as `preferred_username`. */
  upn?: string
  more?: Record<string, string | string[]>
}

/** An organization with a verified domain, a connection and a provisioning client. */
export interface World {
  subOrgId: string
  domain: string
  connectionId: string
  app: TestApp
  key: Caller
  client: ScimClient
  at(local: string): string
  /** Signs a person in at the provider; what the application gets. */
  signIn(told: Told, query?: { test: boolean }): Promise<Record<string, string>>
  change(fields: Record<string, unknown>): Promise<void>
  configure(fields: Record<string, unknown>): Promise<void>
}

const NAME_ID = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

export async function makeWorld(
  { app, dns, tenant }: FederatedApp,
  op: OpPeer,
  protocol: 'oidc' | 'saml',
  fields: Record<string, unknown> = {},
): Promise<World> {
  if (protocol === 'oidc') {
    const organization = await provenOrganization({ dns, tenant })
    const { id: subOrgId, key, domain } = organization
    const connectionId = await connect(organization, op.url, fields)
    const client = await provisioned(app, tenant, subOrgId)
    return {
      ...common(key, { app, subOrgId, domain, connectionId, client }),
      async signIn({ subject, email, upn, more }, { test = false } = { test: false }) {
        const { authorization_url } = await start(organization, connectionId, { test })
        const claims = { sub: subject, email, ...(upn === undefined ? {} : { upn }), ...more }
        const { code, state } = op.signIn(authorization_url, claims)
        return arrived(await callBack(app, { code, state }))
      },
    }
  }
  const organization = await makeSamlOrganization(app, tenant, fields)
  const { subOrgId, domain, connectionId, sp } = organization
  const key = await tenant.withKey({ subOrgId })
  const client = await provisioned(app, tenant, subOrgId)
  const path = new URL(sp.acs_url).pathname.replace(/^\/api/, '')
  return {
    ...common(key, { app, subOrgId, domain, connectionId, client }),
    async signIn({ subject, email, upn, more = {} }, { test = false } = { test: false }) {
      const begun = await organization.start({ redirectUri: HOME }, test ? '?test=true' : '')
      const attributes = {
        email: [email],
        ...(upn === undefined ? {} : { upn: [upn] }),
        ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, [value].flat()])),
      }
      const xml = organization.respond(begun, { nameId: subject, nameIdFormat: NAME_ID, attributes })
      const posted = await postResponse(app, path, xml, begun.state)
      return Object.fromEntries(new URL(posted.headers.get('location') ?? posted.text).searchParams)
    },
  }
}

function common(key: Caller, known: Pick<World, 'app' | 'subOrgId' | 'domain' | 'connectionId' | 'client'>) {
  return {
    ...known,
    key,
    at: (local: string) => `${local}@${known.domain}`,
    async change(fields: Record<string, unknown>) {
      succeeded(await key.patch(`/v1/sso/connections/${known.connectionId}`, fields))
    },
    async configure(fields: Record<string, unknown>) {
      succeeded(await key.patch('/v1/scim/config', fields))
    },
  }
}

/** The people of the organization who are there, by their addresses. */
export async function peopleAt({ key }: Pick<World, 'key'>, emails: string[]): Promise<string[]> {
  const ids = await Promise.all(
    emails.map(async (email) => succeeded(await key.get(`/v1/users?email=${encodeURIComponent(email)}`)).users),
  )
  return [...new Set(ids.flat().map(({ id }: { id: string }) => id))]
}

export const newLocal = () => `p-${fresh()}`

export const workEmail = (value: string, primary = true) => ({ value, type: 'work', primary })

/** Adds a user as the provisioning client; returns the id. */
export async function add({ client }: Pick<World, 'client'>, resource: object): Promise<string> {
  const reply = await client.call('POST', '/Users', resource)
  expect(reply.status, reply.text).toBe(201)
  return reply.body.id
}

export const identitiesOf = async ({ key }: Pick<World, 'key'>, id: string) =>
  succeeded(await key.get(`/v1/users/${id}/identities`)).identities

const organizationOf = ({ subOrgId: id, key, domain }: World) => ({ id, key, domain })

/** A further connection of the organization, by OpenID Connect. */
export async function connectTo(world: World, peer: OpPeer, fields: Record<string, unknown> = {}) {
  return { id: await connect(organizationOf(world), peer.url, fields), peer }
}

/** Signs in at a connection of the organization, by OpenID Connect; what the application gets. */
export async function signInAt(
  world: World,
  { id, peer }: { id: string; peer: OpPeer },
  claims: Record<string, unknown>,
  response_mode = 'query',
): Promise<Record<string, string>> {
  const { authorization_url } = await start(organizationOf(world), id, { response_mode })
  const { code, state } = peer.signIn(authorization_url, claims)
  return arrived(await callBack(world.app, { code, state }))
}
