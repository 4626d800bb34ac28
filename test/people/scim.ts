import { caller, type Reply, type Tenant, type TestApp } from '../harness.ts'
import { succeeded } from './factors.ts'

export const SCIM = '/api/os/scim/v2'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A provisioning client of an organization, as it calls below the base URL. */
export interface ScimClient {
  subOrgId: string
  token: string
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

/** Many tests send more requests in a few seconds than a directory. */
export const liftScimRate = async (caller: Pick<Tenant, 'patch'>, subOrgId: string) =>
  succeeded(await caller.patch('/v1/auth/settings', { scim_requests_per_second: 10_000, subOrgId }))

/** A new organization with provisioning on, and its client. */
export async function provisioned(app: TestApp, tenant: Tenant, subOrgId?: string): Promise<ScimClient> {
  const id = subOrgId ?? (await tenant.organization())
  await liftScimRate(tenant, id)
  succeeded(await tenant.patch('/v1/scim/config', { enabled: true, subOrgId: id }))
  const { token } = succeeded(await tenant.post('/v1/scim/config', { action: 'rotate-token', subOrgId: id }))
  return { subOrgId: id, token, call: scimCaller(app, token) }
}

/** Calls with a token, or without one. Every answer is checked against the contract. */
export function scimCaller({ baseUrl }: Pick<TestApp, 'baseUrl'>, token: string | null): ScimClient['call'] {
  const bare = caller(baseUrl, null)
  const send: ScimClient['call'] = (method, path, body, extra = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/scim+json' }
    const headers = { ...type, ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...extra }
    if (method === 'GET') return bare.get(SCIM + path, headers)
    if (method === 'DELETE') return bare.delete(SCIM + path, headers, body)
    if (method === 'PUT') return bare.put(SCIM + path, body, headers)
    return method === 'POST' ? bare.post(SCIM + path, body, headers) : bare.patch(SCIM + path, body, headers)
  }
  return async (...request) => {
    const reply = await send(...request)
    const type = reply.headers.get('content-type')
    // RFC 7644 §8.1: the type has no parameters.
    if (reply.text !== '' && type !== 'application/scim+json') throw new Error(`${request[1]} was answered as ${type}`)
    return reply
  }
}
