import type { Samples } from '../../../test/samples.ts'

export const samples: Samples = {
  'GET /v1/audit/events': () => ({}),
  'GET /v1/audit/export': () => ({}),
  'GET /v1/audit/settings': () => ({}),
  'PATCH /v1/audit/settings': () => ({ body: { retention_days: 730 } }),
  'PATCH /v1/audit/settings/defaults': () => ({ body: { retention_days: 365 } }),
}

export const orgWideOnly = ['PATCH /v1/audit/settings/defaults']
