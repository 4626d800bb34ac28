import type { Samples } from '../../../test/samples.ts'

export const samples: Samples = {
  'POST /v1/auth/login/sso/start': ({ ids }) => ({
    body: { connectionId: ids.connection, redirectUri: 'http://localhost:3000/auth' },
  }),
  'POST /v1/auth/login/sso/discover': ({ email }) => ({ body: { email } }),
}
