import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/auth/methods': () => ({}),
  'GET /v1/auth/settings': () => ({}),
  'PATCH /v1/auth/settings': () => ({ body: { access_token_ttl_seconds: 600 } }),
  'PATCH /v1/auth/settings/defaults': () => ({ body: { access_token_ttl_seconds: 600 } }),
}

export const orgWideOnly = ['PATCH /v1/auth/settings/defaults']
