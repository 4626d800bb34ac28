import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail, plantSession } from '../../../../test/people/people.ts'
import { signedInUser } from '../../../../test/people/sign-in.ts'
import { workIn } from '../../../../test/work.ts'
import { makeRefreshToken } from '../../../platform/crypto/refresh-token.ts'
import { newId } from '../../../platform/ids.ts'
import { consoleDirectory } from '../../../platform/tenancy/directory.ts'
import { revokeUserSessions } from './cut-off.ts'
import { endReasons } from './end-reasons.ts'

const app = await startApp()
const { platform } = app.app
const { db } = platform
const tenant = await app.tenant()

/** A member of the account's own team, with a session. */
async function newTeamMember() {
  const directory = await consoleDirectory(platform, { ...tenant, environmentSlug: 'production' })
  const { id: directoryId, environmentId } = directory
  const [id, email] = [newId(), newEmail()]
  const row = { directory_id: directoryId, environment_id: environmentId, id, email, email_norm: email, source: 'api' }
  await db.insertInto('users').values(row).execute()
  const sessionId = await plantSession(db, id)
  const { token, hash } = makeRefreshToken(platform.keyring, { directoryId, sessionId, generation: 0 })
  await db.updateTable('sessions').set({ refresh_hash: hash }).where('id', '=', sessionId).execute()
  return { directory, id, token, sessionId }
}

test('what covers a whole environment leaves out the sessions of the account’s own team', async () => {
  const member = await newTeamMember()
  const subOrgId = await tenant.organization()
  const { session, userId } = await signedInUser(app, tenant, subOrgId, newEmail())
  const { users } = succeeded(await tenant.get('/v1/sessions'))
  expect(users.map((user: { user_id: string }) => user.user_id)).toEqual([session.user_id])
  expect(succeeded(await tenant.get(`/v1/sessions?userId=${member.id}`)).users).toEqual([])
  const introspect = async (token: string) => succeeded(await tenant.post('/v1/auth/token/introspect', { token }))
  expect(await introspect(session.refresh_token)).toMatchObject({ active: true })
  expect(await introspect(member.token)).toEqual({ active: false })
  await tenant.post('/v1/auth/logout', { refresh_token: member.token, everywhere: true })
  const rows = await db.selectFrom('sessions').select('revoked_at').where('id', '=', member.sessionId).execute()
  expect(rows).toEqual([{ revoked_at: null }])
  // Revocations are reported in the order of their events. The member's session ends first, so its revocation would
  // come first if it were reported at all.
  await revokeUserSessions(workIn(platform, member.directory), member.id, endReasons.revoked)
  await tenant.delete(`/v1/users/${userId}/sessions?subOrgId=${subOrgId}`)
  await app.settled()
  const { revocations } = succeeded(await tenant.get('/v1/sessions/revocations'))
  expect(revocations).toMatchObject([{ directory_user_id: userId }])
})
