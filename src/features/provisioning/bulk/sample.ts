import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { scimCaller } from '../../../../test/people/scim.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

/** A logged request of a provisioning client. */
export interface ScimRecords {
  ids: { scimLog: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<ScimRecords> {
  succeeded(await scoped.patch('/v1/scim/config', { enabled: true }))
  const { token } = succeeded(await scoped.post('/v1/scim/config', { action: 'rotate-token' }))
  await scimCaller(app, token)('DELETE', '/Users/nobody')
  return { ids: { scimLog: succeeded(await scoped.get('/v1/scim/logs')).logs[0].id } }
}

export const samples: Samples = {
  'POST /v1/scim/logs/{id}/replay': ({ ids }) => ({ params: { id: ids.scimLog } }),
}
