import { expect } from 'vitest'
import { fresh } from '../fresh.ts'
import type { Tenant, TestApp } from '../harness.ts'
import { verifyDomain } from './saml-connection.ts'
import { provisioned } from './scim.ts'

/** A new organization with a verified domain and a provisioning client. */
export async function provenClient(app: TestApp, tenant: Tenant) {
  const client = await provisioned(app, tenant)
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, client.subOrgId, domain)
  return {
    ...client,
    domain,
    at: (local: string) => `${local}@${domain}`,
    readUser: async (id: string) => (await tenant.get(`/v1/users/${id}?subOrgId=${client.subOrgId}`)).body.user,
    async add(body: object) {
      const reply = await client.call('POST', '/Users', body)
      expect(reply.status, reply.text).toBe(201)
      return reply.body
    },
  }
}
