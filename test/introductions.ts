import { succeeded } from './factors.ts'
import { fresh } from './fresh.ts'
import type { Caller } from './harness.ts'
import { arrived, callBack, connect, type FederatedApp, HOME, provenOrganization, start } from './oidc-organization.ts'
import type { OpPeer } from './op-peer.ts'
import { makeSamlOrganization, postResponse } from './saml-connection.ts'
import { provisioned, type ScimClient } from './scim.ts'

/** What an identity provider says of a person. */
export interface Told {
  subject: string
  email: string
  /** A name that administrators assign; `more` has one that people choose, such as `preferred_username`. */
  upn?: string
  more?: Record<string, string>
}

/** An organization with a verified domain, a connection and a provisioning client. */
export interface World {
  subOrgId: string
  domain: string
  connectionId: string
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
      ...common(key, { subOrgId, domain, connectionId, client }),
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
    ...common(key, { subOrgId, domain, connectionId, client }),
    async signIn({ subject, email, upn, more = {} }, { test = false } = { test: false }) {
      const begun = await organization.start({ redirectUri: HOME }, test ? '?test=true' : '')
      const attributes = {
        email: [email],
        ...(upn === undefined ? {} : { upn: [upn] }),
        ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, [value]])),
      }
      const xml = organization.respond(begun, { nameId: subject, nameIdFormat: NAME_ID, attributes })
      const posted = await postResponse(app, path, xml, begun.state)
      return Object.fromEntries(new URL(posted.headers.get('location') ?? posted.text).searchParams)
    },
  }
}

function common(key: Caller, known: Pick<World, 'subOrgId' | 'domain' | 'connectionId' | 'client'>) {
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
