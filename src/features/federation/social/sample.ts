import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

const github = { provider: 'github', enabled: true, client_id: 'Iv1.0123456789abcdef', client_secret: 'secret' }

/** GitHub, as a provider to sign in at. */
export async function makeRecords(_: TestApp, { scoped }: Start): Promise<{ ids: Record<never, string> }> {
  succeeded(await scoped.put('/v1/social/providers', github))
  return { ids: {} }
}

export const samples: Samples = {
  'POST /v1/auth/login/social/start': () => ({
    body: { provider: 'github', redirectUri: 'http://localhost:3000/auth' },
  }),
  'GET /v1/social/providers': () => ({}),
  'PUT /v1/social/providers': () => ({ body: github }),
  'GET /v1/social/providers/defaults': () => ({}),
  'PUT /v1/social/providers/defaults': () => ({ body: github }),
}

export const notIds = {
  'PUT /v1/social/providers client_id': 'of an application at the provider',
  'PUT /v1/social/providers team_id': 'of Apple',
  'PUT /v1/social/providers key_id': 'of Apple',
  'PUT /v1/social/providers/defaults client_id': 'of an application at the provider',
  'PUT /v1/social/providers/defaults team_id': 'of Apple',
  'PUT /v1/social/providers/defaults key_id': 'of Apple',
}

export const orgWideOnly = ['GET /v1/social/providers/defaults', 'PUT /v1/social/providers/defaults']
