import { succeeded } from '../../../../test/factors.ts'
import type { TestApp } from '../../../../test/harness.ts'
import type { Start } from '../../../../test/records.ts'
import type { Samples } from '../../../../test/samples.ts'
import { scimCaller } from '../../../../test/scim.ts'

/** A request of provisioning that was kept. */
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
