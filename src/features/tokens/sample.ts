import type { TestApp } from '../../../test/harness.ts'
import type { Start } from '../../../test/records.ts'
import type { Samples } from '../../../test/samples.ts'
import { getWorkIn } from '../../../test/work.ts'
import { keepReply } from '../federation/hand-back.ts'
import type { SessionRecords } from '../sessions/sample.ts'

export interface TokenRecords {
  ids: { exchangeCode: string }
}

/** The code of a sign-in at a provider that has ended in a challenge. */
export async function makeRecords(app: TestApp, { ids }: Start & SessionRecords): Promise<TokenRecords> {
  const { platform } = app.app
  const { id } = await platform.db
    .selectFrom('directories')
    .select('id')
    .where('organization_id', '=', ids.organization)
    .executeTakeFirstOrThrow()
  const work = await getWorkIn(platform, id)
  return { ids: { exchangeCode: await keepReply(work, { session: null, mfa_required: true }) } }
}

export const samples: Samples = {
  'POST /v1/auth/token/refresh': ({ ids }) => ({ body: { refresh_token: ids.refreshToken } }),
  'POST /v1/auth/token/introspect': ({ ids }) => ({ body: { token: ids.accessToken } }),
  'POST /v1/auth/token/revoke': ({ ids }) => ({ body: { session_id: ids.session } }),
  'POST /v1/auth/token/exchange': ({ ids }) => ({ body: { code: ids.exchangeCode } }),
}
