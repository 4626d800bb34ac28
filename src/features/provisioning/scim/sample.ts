import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/scim/config': () => ({}),
  'PATCH /v1/scim/config': ({ ids }) => ({
    body: { enabled: true, onDeprovision: 'delete', sso_connection_id: ids.connection },
  }),
  'GET /v1/scim/logs': () => ({}),
  'POST /v1/scim/config': () => ({ body: { action: 'rotate-token' } }),
}
