import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newExchangeCode } from '../../../../test/people/federation.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import { getWorkIn } from '../../../../test/work.ts'

export interface TokenRecords {
  ids: { exchangeCode: string; federatedUser: string }
}

/** The code of a sign-in at a provider. */
export async function makeRecords(app: TestApp, { scoped }: Start): Promise<TokenRecords> {
  const { platform } = app.app
  const { user } = succeeded(await scoped.post('/v1/users', { email: freshEmail('fay') }))
  const { directory_id } = await platform.db
    .selectFrom('users')
    .select('directory_id')
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow()
  const work = await getWorkIn(platform, directory_id)
  return { ids: { exchangeCode: await newExchangeCode(work, user.id), federatedUser: user.id } }
}

export const samples: Samples = {
  'POST /v1/auth/token/refresh': ({ ids }) => ({ body: { refresh_token: ids.refreshToken } }),
  'POST /v1/auth/token/introspect': ({ ids }) => ({ body: { token: ids.accessToken } }),
  'POST /v1/auth/token/revoke': ({ ids }) => ({ body: { session_id: ids.session } }),
  'POST /v1/auth/login/sso/logout': ({ ids }) => ({
    body: { session_id: ids.session, redirectUri: 'http://localhost:3000/goodbye' },
  }),
  'POST /v1/auth/token/exchange': ({ ids }) => ({ body: { code: ids.exchangeCode } }),
}
