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
  'POST /v1/admin-portal': ({ ids }) => ({ body: { action: 'remove_domain', domainId: ids.domain } }),
}
