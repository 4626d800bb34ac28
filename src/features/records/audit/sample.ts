import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/audit/events': () => ({}),
  'GET /v1/audit/export': () => ({}),
  'GET /v1/audit/settings': () => ({}),
  'PATCH /v1/audit/settings': () => ({ body: { retention_days: 730 } }),
  'PATCH /v1/audit/settings/defaults': () => ({ body: { retention_days: 365 } }),
}

export const orgWideOnly = ['PATCH /v1/audit/settings/defaults']

const asked = 'what is looked for, which is found only within reach'

export const notIds = Object.fromEntries(
  ['GET /v1/audit/events', 'GET /v1/audit/export'].flatMap((name) =>
    ['actor_id', 'on_behalf_of', 'target_id', 'user_id', 'request_id'].map((field) => [`${name} ${field}`, asked]),
  ),
)
