import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { provenClient } from '../../../../test/people/provisioning.ts'
import { patchOf } from '../../../../test/people/scim-answers.ts'
import { signIn } from '../../../../test/people/sign-in.ts'
import { snapshot } from '../../../../test/snapshot.ts'

const app = await startApp()
const tenant = await app.tenant()

type Client = Awaited<ReturnType<typeof provenClient>>
type User = { id: string; userName: string; externalId: string }

/** The state before the deletion, and whether the client then manages the user. */
const STATES: Record<string, [isManaged: boolean, (client: Client, user: User) => Promise<unknown>]> = {
  'as it was added': [true, async () => {}],
  'that the client has deactivated': [
    true,
    ({ call }, { id }) => call('PATCH', `/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: false })),
  ],
  'that an administrator has deactivated by force': [
    true,
    async ({ subOrgId }, { id }) =>
      succeeded(await tenant.patch(`/v1/users/${id}`, { subOrgId, active: false, force: true })),
  ],
  'while provisioning is off': [
    true,
    async ({ subOrgId }) => succeeded(await tenant.patch('/v1/scim/config', { subOrgId, enabled: false })),
  ],
  'that came back': [
    true,
    async ({ call, add }, { id, userName, externalId }) => {
      await call('DELETE', `/Users/${id}`)
      await add({ userName, externalId })
    },
  ],
  'that the client has deleted': [false, ({ call }, { id }) => call('DELETE', `/Users/${id}`)],
}

const cases = Object.entries(STATES).flatMap(([state, [isManaged, prepare]]) =>
  ['an org-wide key', 'a key of the organization'].map((caller) => [state, caller, isManaged, prepare] as const),
)

test.each(cases)('a user %s is deleted by %s only by force where the client manages them', async (...one) => {
  const [, caller, isManaged, prepare] = one
  const client = await provenClient(app, tenant)
  const { subOrgId, at, add, readUser } = client
  const externalId = fresh()
  const user = await add({ userName: at('ada'), externalId })
  const session = await signIn(app, tenant, subOrgId, at('ada'))
  await prepare(client, user)
  const { key } = succeeded(await tenant.post('/v1/api-keys', { name: 'Org', scopes: ['*'], subOrgId }))
  const by = caller === 'an org-wide key' ? tenant : app.as(key)
  const remove = (more = '') => by.delete(`/v1/users/${user.id}?subOrgId=${subOrgId}${more}`)
  const before = [await readUser(user.id), await snapshot(app)]
  for (const more of isManaged ? ['', '&force=false'] : []) {
    const refused = await remove(more)
    expect([refused.status, refused.body.code]).toEqual([409, 'scim_managed'])
    expect([await readUser(user.id), await snapshot(app)]).toEqual(before)
  }
  expect((await remove(isManaged ? '&force=true' : '')).body).toEqual({ ok: true })
  expect(await readUser(user.id)).toBeUndefined()
  const { active } = succeeded(
    await tenant.post('/v1/auth/token/introspect', { subOrgId, token: session.access_token }),
  )
  expect(active).toBe(false)
  // The directory has changed meanwhile, and its client adds the same person again.
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, enabled: true }))
  expect((await add({ userName: at('ada'), externalId })).id).toBe(user.id)
})

test('other users are deleted without force, and force needs the right to delete', async () => {
  const { subOrgId, at, add } = await provenClient(app, tenant)
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email: at('bo') }))
  succeeded(await tenant.delete(`/v1/users/${user.id}?subOrgId=${subOrgId}`))
  const { id } = await add({ userName: at('ada') })
  const { key } = succeeded(await tenant.post('/v1/api-keys', { name: 'Org', scopes: ['users.read'], subOrgId }))
  expect((await app.as(key).delete(`/v1/users/${id}?force=true`)).body.code).toBe('insufficient_scope')
  const other = await tenant.organization()
  expect((await tenant.delete(`/v1/users/${id}?subOrgId=${other}&force=true`)).status).toBe(404)
})

test.each(['deactivate', 'delete'])('the client deletes its users without force: %s', async (onDeprovision) => {
  const { subOrgId, at, add, call } = await provenClient(app, tenant)
  succeeded(await tenant.patch('/v1/scim/config', { subOrgId, onDeprovision }))
  const { id } = await add({ userName: at('ada') })
  expect((await call('DELETE', `/Users/${id}`)).status).toBe(204)
})

test.each(cases.filter(([, caller]) => caller === 'an org-wide key'))(
  'a user %s is moved by %s only by force where the client manages them',
  async (...one) => {
    const [, , isManaged, prepare] = one
    const client = await provenClient(app, tenant)
    const { subOrgId, at, add, readUser } = client
    const targetSubOrgId = await tenant.organization()
    const user = await add({ userName: at('ada'), externalId: fresh() })
    const session = await signIn(app, tenant, subOrgId, at('ada'))
    await prepare(client, user)
    if (!isManaged) return expect((await move()).status).toBe(200)
    const before = [await readUser(user.id), await snapshot(app)]
    for (const more of [{}, { force: false }]) {
      const refused = await move(more)
      expect([refused.status, refused.body.code]).toEqual([409, 'scim_managed'])
      expect([await readUser(user.id), await snapshot(app)]).toEqual(before)
    }
    expect(succeeded(await move({ force: true })).user).toMatchObject({ id: user.id, subOrgId: targetSubOrgId })
    const { active } = succeeded(
      await tenant.post('/v1/auth/token/introspect', { subOrgId, token: session.access_token }),
    )
    expect(active).toBe(false)

    async function move(more: object = {}) {
      return tenant.post(`/v1/users/${user.id}`, { subOrgId, targetSubOrgId, ...more })
    }
  },
)
