import { OutboundFailure, outboundFetch } from '../../../platform/outbound/http.ts'
import type { Platform } from '../../../platform/platform.ts'
import { DEV_GROUPS, type DevPerson, peopleOf } from './people.ts'

/** What to push to a SCIM endpoint. */
export interface Push {
  endpointUrl: string
  token: string
  domain: string
  /** The address of the person who has left; null to push everyone. */
  deactivates: string | null
}

/** A sent request, to show on the page. */
export interface Sent {
  request: string
  status: number
  /** The detail of an error response. */
  detail: string | null
}

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const MAX_BYTES = 256 * 1024

/**
 * Pushes the people and groups of a domain as identity providers do (RFC 7644): looks each up with a filter, then
 * creates or replaces it. If `deactivates` is given, only deactivates one person. Stops at the first request without a
 * response. Returns the sent requests.
 */
export async function push(platform: Platform, { endpointUrl, token, domain, deactivates }: Push): Promise<Sent[]> {
  const sent: Sent[] = []
  const ask = scimClient(platform, { endpointUrl, token }, sent)
  try {
    if (deactivates === null) await pushEveryone(ask, peopleOf(domain))
    else await deactivate(ask, deactivates)
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    sent.push({ request: endpointUrl, status: 0, detail: error.detail })
  }
  return sent
}

type Ask = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => Promise<unknown>

function scimClient(
  platform: Platform,
  { endpointUrl, token }: Pick<Push, 'endpointUrl' | 'token'>,
  sent: Sent[],
): Ask {
  return async (method, path, body) => {
    const answer = await outboundFetch(platform, `${endpointUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/scim+json',
        ...(body ? { 'content-type': 'application/scim+json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      maxBytes: MAX_BYTES,
    })
    const read = readJson(answer.body)
    const detail = answer.status < 300 ? null : String(fieldOf(read, 'detail') ?? '')
    sent.push({ request: `${method} ${path}`, status: answer.status, detail })
    return read
  }
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return null
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** The id of the first resource in a list response. */
function firstId(list: unknown): string | null {
  const resources = fieldOf(list, 'Resources')
  const id = Array.isArray(resources) ? fieldOf(resources[0], 'id') : undefined
  return typeof id === 'string' ? id : null
}

async function find(ask: Ask, kind: 'Users' | 'Groups', filter: string): Promise<string | null> {
  return firstId(await ask('GET', `/${kind}?filter=${encodeURIComponent(filter)}`))
}

async function put(ask: Ask, kind: 'Users' | 'Groups', filter: string, resource: object): Promise<string | null> {
  const known = await find(ask, kind, filter)
  const answer = await (known === null ? ask('POST', `/${kind}`, resource) : ask('PUT', `/${kind}/${known}`, resource))
  const id = fieldOf(answer, 'id')
  return typeof id === 'string' ? id : null
}

async function pushEveryone(ask: Ask, people: DevPerson[]): Promise<void> {
  const ids = new Map<string, string>()
  for (const person of people) {
    const id = await put(ask, 'Users', `userName eq "${person.email}"`, toResource(person))
    if (id !== null) ids.set(person.email, id)
  }
  for (const name of DEV_GROUPS) {
    const members = people.flatMap(({ email, groups }) => {
      const value = groups.includes(name) ? ids.get(email) : undefined
      return value === undefined ? [] : [{ value }]
    })
    await put(ask, 'Groups', `displayName eq "${name}"`, { schemas: [GROUP], displayName: name, members })
  }
}

function toResource({ subject, email, firstName, lastName }: DevPerson) {
  return {
    schemas: [USER],
    externalId: subject,
    userName: email,
    name: { givenName: firstName, familyName: lastName },
    emails: [{ value: email, type: 'work', primary: true }],
    active: true,
  }
}

async function deactivate(ask: Ask, email: string): Promise<void> {
  const id = await find(ask, 'Users', `userName eq "${email}"`)
  if (id === null) return
  const change = { op: 'replace', path: 'active', value: false }
  await ask('PATCH', `/Users/${id}`, { schemas: [PATCH], Operations: [change] })
}
