import type { Samples } from '../../../../test/walkers/samples.ts'

export const orgWideOnly = ['POST /v1/sso/keys']

export const samples: Samples = {
  'POST /v1/auth/login/sso/start': ({ ids }) => ({
    body: { connectionId: ids.connection, redirectUri: 'http://localhost:3000/auth' },
  }),
  'POST /v1/auth/login/sso/discover': ({ email }) => ({ body: { email } }),
  'GET /v1/sso/keys': () => ({}),
  'POST /v1/sso/keys': () => ({ body: { action: 'prepare' } }),
  'POST /v1/auth/login/sso/logout': ({ ids }) => ({
    body: { session_id: ids.session, redirectUri: 'http://localhost:3000/goodbye' },
  }),
}

export const notIds = { sso_exempt_user_ids: 'compared with the user who signs in, and nothing else' }
