import type { Samples } from '../../../../test/walkers/samples.ts'

export const samples: Samples = {
  'POST /v1/auth/token/refresh': ({ ids }) => ({ body: { refresh_token: ids.refreshToken } }),
  'POST /v1/auth/token/introspect': ({ ids }) => ({ body: { token: ids.accessToken } }),
  'POST /v1/auth/token/revoke': ({ ids }) => ({ body: { session_id: ids.session } }),
}
