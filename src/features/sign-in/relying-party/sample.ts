import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/auth/passkey/settings': () => ({}),
  'PATCH /v1/auth/passkey/settings': () => ({ body: { rp_name: 'Acme' } }),
  'PATCH /v1/auth/passkey/settings/defaults': () => ({ body: { user_verification: 'required' } }),
}

export const orgWideOnly = ['PATCH /v1/auth/passkey/settings/defaults']

export const notIds = {
  'PATCH /v1/auth/passkey/settings rp_id': 'a host name',
  'PATCH /v1/auth/passkey/settings/defaults rp_id': 'a host name',
}
