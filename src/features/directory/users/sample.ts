import { freshEmail } from '../../../../test/fresh.ts'
import type { TestApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'

export interface UserRecords {
  /** The directory of the user and of every other record. */
  directoryId: string
  /** The user's address. */
  email: string
  ids: { user: string; deletedUser: string }
}

export async function makeRecords(app: TestApp, { scoped }: Start): Promise<UserRecords> {
  const email = freshEmail('ada')
  const user: string = succeeded(await scoped.post('/v1/users', { email })).user.id
  const { db } = app.app.platform
  const row = await db.selectFrom('users').select('directory_id').where('id', '=', user).executeTakeFirstOrThrow()
  const deletedUser: string = succeeded(await scoped.post('/v1/users', { email: freshEmail('gone') })).user.id
  succeeded(await scoped.delete(`/v1/users/${deletedUser}`))
  return { directoryId: row.directory_id, email, ids: { user, deletedUser } }
}

export const samples: Samples = {
  'GET /v1/users': () => ({}),
  'POST /v1/users': () => ({ body: { email: freshEmail() } }),
  'PUT /v1/users': () => ({ body: { users: [{ email: freshEmail('bulk') }] } }),
  'GET /v1/users/{userId}': ({ ids }) => ({ params: { userId: ids.user } }),
  'PATCH /v1/users/{userId}': ({ ids }) => ({ params: { userId: ids.user }, body: { firstName: 'Ada' } }),
  'DELETE /v1/users/{userId}': ({ ids }) => ({ params: { userId: ids.user } }),
  'POST /v1/users/{userId}/restore': ({ ids }) => ({ params: { userId: ids.deletedUser } }),
  'POST /v1/users/{userId}': ({ ids }) => ({
    params: { userId: ids.user },
    body: { targetSubOrgId: ids.organization },
  }),
}

export const notIds = {
  externalId: 'what the caller’s own system calls the record',
  'POST /v1/users roleIds': 'needs the scope roles.write too: see roles/new-users.test.ts',
}
