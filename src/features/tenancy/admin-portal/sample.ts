import { fresh } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface DomainRecords {
  ids: { domain: string }
}

export async function makeRecords(_: TestApp, { scoped }: Start): Promise<DomainRecords> {
  const body = { action: 'add_domain', domain: `acme-${fresh()}.example` }
  return { ids: { domain: succeeded(await scoped.post('/v1/admin-portal', body)).domain.id } }
}

export const samples: Samples = {
  'GET /v1/admin-portal': () => ({}),
  'PATCH /v1/admin-portal': () => ({ body: { brand_name: 'Acme' } }),
  'GET /v1/admin-portal/domains': () => ({}),
  'POST /v1/admin-portal/domains': () => ({ body: { domain: `acme-${fresh()}.example` } }),
  'POST /v1/admin-portal/domains/{domainId}/verify': ({ ids }) => ({ params: { domainId: ids.domain } }),
  'DELETE /v1/admin-portal/domains/{domainId}': ({ ids }) => ({ params: { domainId: ids.domain } }),
  'POST /v1/admin-portal': ({ ids }) => ({ body: { action: 'remove_domain', domainId: ids.domain } }),
}
