import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newExchangeCode, person, signInAs } from '../../../../test/people/federation.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import { getWorkIn } from '../../../../test/work.ts'

/** A user who has signed in at a provider, and the code of another user's sign-in. */
export interface FederationRecords {
  ids: { linkedUser: string; identity: string; exchangeCode: string; federatedUser: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<FederationRecords> {
  const { platform } = app.app
  const { user } = succeeded(await scoped.post('/v1/users', { email: freshEmail('lin') }))
  const known = platform.db.selectFrom('users').select('directory_id').where('id', '=', user.id)
  const work = await getWorkIn(platform, (await known.executeTakeFirstOrThrow()).directory_id)
  await signInAs(work, person({ email: user.email, emailVerified: true }))
  const linked = platform.db.selectFrom('identities').select('id').where('user_id', '=', user.id)
  const identity = (await linked.executeTakeFirstOrThrow()).id
  const { user: other } = succeeded(await scoped.post('/v1/users', { email: freshEmail('fay') }))
  const exchangeCode = await newExchangeCode(work, other.id)
  return { ids: { linkedUser: user.id, identity, exchangeCode, federatedUser: other.id } }
}

export const samples: Samples = {
  'GET /v1/users/{userId}/identities': ({ ids }) => ({ params: { userId: ids.linkedUser } }),
  'DELETE /v1/users/{userId}/identities/{identityId}': ({ ids }) => ({
    params: { userId: ids.linkedUser, identityId: ids.identity },
  }),
  'POST /v1/auth/token/exchange': ({ ids }) => ({ body: { code: ids.exchangeCode } }),
}
