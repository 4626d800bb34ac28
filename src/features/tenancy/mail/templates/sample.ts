import type { TestApp } from '../../../../../test/harness.ts'
import { succeeded } from '../../../../../test/people/factors.ts'
import type { Start } from '../../../../../test/people/records.ts'
import type { Samples } from '../../../../../test/walkers/samples.ts'

const params = { kind: 'login_otp', language: 'en' }
const defaults = { kind: 'invite', language: 'de' }
const body = { subject: 'Your words', body: ['{standard}', '{code}'] }

/** Texts that a request can reset. */
export async function makeRecords(_: TestApp, { scoped }: Start): Promise<{ ids: Record<never, string> }> {
  succeeded(await scoped.put('/v1/mail/templates/password_reset/fr', { subject: 'Nouveau mot de passe' }))
  return { ids: {} }
}

export const samples: Samples = {
  'GET /v1/mail/templates': () => ({}),
  'GET /v1/mail/templates/{kind}/{language}': () => ({ params }),
  'PUT /v1/mail/templates/{kind}/{language}': () => ({ params, body }),
  'DELETE /v1/mail/templates/{kind}/{language}': () => ({ params: { kind: 'password_reset', language: 'fr' } }),
  'POST /v1/mail/templates/{kind}/{language}/preview': () => ({ params, body }),
  'PUT /v1/mail/templates/{kind}/{language}/defaults': () => ({ params: defaults, body: { subject: 'Einladung' } }),
  'DELETE /v1/mail/templates/{kind}/{language}/defaults': () => ({ params: defaults }),
}

export const notIds = { kind: 'of an email', language: 'of six' }

export const orgWideOnly = [
  'PUT /v1/mail/templates/{kind}/{language}/defaults',
  'DELETE /v1/mail/templates/{kind}/{language}/defaults',
]
