import { fresh } from '../../../../test/fresh.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/organizations': () => ({}),
  'POST /v1/organizations': () => ({ body: { name: 'Acme', slug: `acme-${fresh()}` } }),
  'GET /v1/organizations/{subOrgId}': ({ ids }) => ({ params: { subOrgId: ids.organization } }),
  'PATCH /v1/organizations/{subOrgId}': ({ ids }) => ({
    params: { subOrgId: ids.organization },
    body: { name: 'Acme' },
  }),
  'DELETE /v1/organizations/{subOrgId}': ({ ids }) => ({ params: { subOrgId: ids.organization } }),
}

export const orgWideOnly = ['POST /v1/organizations']
