import { expect } from 'vitest'
import type { Reply } from '../harness.ts'
import type { ScimClient } from './scim.ts'

export const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** A refusal as RFC 7644 §3.12 has it: its own media type, the status as a string, and a keyword where there is one. */
export function expectRefused(reply: Reply, status: number, scimType?: string): void {
  expect([reply.status, reply.body?.scimType, reply.text]).toEqual([status, scimType, reply.text])
  expect(reply.headers.get('content-type')).toBe('application/scim+json')
  expect(reply.body).toMatchObject({
    schemas: [`${MESSAGES}:Error`],
    status: String(status),
    detail: expect.stringMatching(/\S/),
  })
}

/** The body of an answer with this status; the text of another one is shown. */
export function answered(reply: Reply, status = 200): Reply['body'] {
  expect([reply.status, reply.status === status ? '' : reply.text]).toEqual([status, ''])
  return reply.body
}

/** What lists and searches answer. */
export async function list({ call }: Pick<ScimClient, 'call'>, query: Record<string, string>, path = '/Users') {
  return answered(await call('GET', `${path}?${new URLSearchParams(query)}`))
}

let made = 0

/** A user of a name that nobody has yet. */
export async function addUser({ call }: Pick<ScimClient, 'call'>, more: object = {}): Promise<Reply['body']> {
  made += 1
  return answered(await call('POST', '/Users', { userName: `user${made}@acme.example`, ...more }), 201)
}

/** The body of a PATCH. */
export const patchOf = (...Operations: object[]) => ({ schemas: [`${MESSAGES}:PatchOp`], Operations })

/** What is in one and not in the other, of the attributes that a change leaves alone. */
export function withoutMeta({ meta: _, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest
}
