import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'GET /v1/mail/settings': () => ({}),
  'PATCH /v1/mail/settings': () => ({ body: { brand_name: 'Acme', subjects: { otp: 'Your code for {brand}' } } }),
  'PATCH /v1/mail/settings/defaults': () => ({ body: { support_email: 'help@example.com' } }),
}

export const orgWideOnly = ['PATCH /v1/mail/settings/defaults']
