import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface ApiKeyRecords {
  ids: { apiKey: string }
}

export async function makeRecords(_: TestApp, { scoped }: Start): Promise<ApiKeyRecords> {
  const made = succeeded(await scoped.post('/v1/api-keys', { name: 'Of the organization', scopes: ['users.read'] }))
  return { ids: { apiKey: made.apiKey.id } }
}

export const samples: Samples = {
  'GET /v1/api-keys': () => ({}),
  'POST /v1/api-keys': () => ({ body: { name: 'Reader', scopes: ['users.read'] } }),
  'GET /v1/api-keys/current': () => ({}),
  'GET /v1/api-keys/{id}': ({ ids }) => ({ params: { id: ids.apiKey } }),
  'PATCH /v1/api-keys/{id}': ({ ids }) => ({ params: { id: ids.apiKey }, body: { name: 'Renamed' } }),
  'DELETE /v1/api-keys/{id}': ({ ids }) => ({ params: { id: ids.apiKey } }),
  'POST /v1/api-keys/{id}/rotate': ({ ids }) => ({ params: { id: ids.apiKey }, body: { overlap_seconds: 60 } }),
}
