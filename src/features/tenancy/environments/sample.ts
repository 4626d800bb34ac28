import { fresh } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface EnvironmentRecords {
  ids: { customEnvironment: string }
}

/** A custom environment of the organization. The organization's keys of every environment see it. */
export async function makeRecords(_: TestApp, { scoped }: Start): Promise<EnvironmentRecords> {
  const { environments } = succeeded(await scoped.get('/v1/environments'))
  const there = environments.find(({ type }: { type: string }) => type === 'custom')
  if (there) return { ids: { customEnvironment: there.id } }
  const body = { name: 'Of the organization', slug: `own-${fresh()}` }
  return { ids: { customEnvironment: succeeded(await scoped.post('/v1/environments', body)).environment.id } }
}

export const samples: Samples = {
  'GET /v1/environments': () => ({}),
  'POST /v1/environments': () => ({ body: { name: 'Preview', slug: `preview-${fresh()}` } }),
  'GET /v1/environments/{environmentId}': ({ ids }) => ({ params: { environmentId: ids.customEnvironment } }),
  'PATCH /v1/environments/{environmentId}': ({ ids }) => ({
    params: { environmentId: ids.customEnvironment },
    body: { name: 'Renamed' },
  }),
}
