import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import { signIn } from '../../../../test/people/sign-in.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import type { UserRecords } from '../../directory/users/sample.ts'

/** A session of a signed-in user. */
export interface SessionRecords {
  ids: { authAccount: string; session: string; refreshToken: string; accessToken: string }
}

export async function makeRecords(app: TestApp, { scoped, email, ids }: Start & UserRecords): Promise<SessionRecords> {
  const signedIn = await signIn(app, scoped, ids.organization, email)
  const { users } = succeeded(await scoped.get(`/v1/sessions?userId=${signedIn.user_id}`))
  return {
    ids: {
      authAccount: signedIn.user_id,
      session: users[0].sessions[0].id,
      refreshToken: signedIn.refresh_token,
      accessToken: signedIn.access_token,
    },
  }
}

export const samples: Samples = {
  'GET /v1/sessions': ({ ids }) => ({ query: { userId: ids.authAccount } }),
  'DELETE /v1/sessions': ({ ids }) => ({ query: { userId: ids.user } }),
  'DELETE /v1/users/{userId}/sessions': ({ ids }) => ({ params: { userId: ids.authAccount } }),
  'GET /v1/sessions/{sessionId}': ({ ids }) => ({ params: { sessionId: ids.session } }),
  'DELETE /v1/sessions/{sessionId}': ({ ids }) => ({ params: { sessionId: ids.session } }),
  'GET /v1/sessions/revocations': () => ({}),
}
