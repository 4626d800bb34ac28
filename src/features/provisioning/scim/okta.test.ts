import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { addUser, answered, expectRefused, list, MESSAGES, USER } from '../../../../test/people/scim-answers.ts'

// The requests that Okta sends, one test for each peculiarity. Applications made with its wizard use PUT, those in its
// catalogue use PATCH.
const app = await startApp()
const client = await provisioned(app, await app.tenant())
const { call } = client

const isaac = {
  schemas: [USER],
  userName: 'isaac@acme.example',
  name: { givenName: 'Isaac', familyName: 'Brock' },
  emails: [{ primary: true, value: 'isaac@acme.example', type: 'work' }],
  displayName: 'Isaac Brock',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
}

test('the first call asks for two users', async () => {
  const page = await list(client, { startIndex: '1', count: '2' })
  expect(page).toEqual({
    schemas: [`${MESSAGES}:ListResponse`],
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  })
})

test('a user is looked for, made, looked for again and read', async () => {
  const filter = `userName eq "${isaac.userName}"`
  expect((await list(client, { filter, startIndex: '1', count: '100' })).totalResults).toBe(0)
  const user = answered(await call('POST', '/Users', isaac), 201)
  const { password: _, groups: __, ...shown } = isaac
  expect(user).toMatchObject(shown)
  expect(user).not.toHaveProperty('password')
  expect((await list(client, { filter, startIndex: '1', count: '100' })).Resources).toEqual([user])
  expect(answered(await call('GET', `/Users/${user.id}`))).toEqual(user)
})

test('wizard: a user is read, changed and put back with all that was read', async () => {
  const user = await addUser(client, { displayName: 'Isaac', active: true })
  const read = answered(await call('GET', `/Users/${user.id}`))
  const put = answered(
    await call('PUT', `/Users/${user.id}`, { ...read, name: { givenName: 'Isaac', familyName: 'B' }, groups: [] }),
  )
  expect(put).toMatchObject({ id: user.id, name: { givenName: 'Isaac', familyName: 'B' }, displayName: 'Isaac' })
})

test('wizard: deactivated by PUT with active false, brought back by true; never by DELETE', async () => {
  const user = await addUser(client)
  const off = answered(await call('PUT', `/Users/${user.id}`, { ...user, active: false }))
  expect(off).toMatchObject({ id: user.id, active: false })
  expect((await list(client, { filter: `userName eq "${user.userName}"` })).Resources).toMatchObject([
    { active: false },
  ])
  expect(answered(await call('PUT', `/Users/${user.id}`, { ...off, active: true })).active).toBe(true)
})

test('catalogue: deactivated and brought back by PATCH without a path', async () => {
  const user = await addUser(client)
  const set = (active: boolean) =>
    call('PATCH', `/Users/${user.id}`, {
      schemas: [`${MESSAGES}:PatchOp`],
      Operations: [{ op: 'replace', value: { active } }],
    })
  expect(answered(await set(false)).active).toBe(false)
  expect(answered(await set(true)).active).toBe(true)
})

test('catalogue: a password is set by PATCH, and neither kept nor shown', async () => {
  const user = await addUser(client)
  const Operations = [{ op: 'replace', value: { password: 't3stP@ss' } }]
  const reply = await call('PATCH', `/Users/${user.id}`, { schemas: [`${MESSAGES}:PatchOp`], Operations })
  expect(reply.status).toBe(200)
  expect((await call('GET', `/Users/${user.id}`)).text).not.toContain('t3st')
})

test('a user that is there already is 409', async () => {
  const user = await addUser(client)
  expectRefused(await call('POST', '/Users', { ...isaac, externalId: 'x', userName: user.userName }), 409, 'uniqueness')
})

test('a user that was deactivated is found, and not made again', async () => {
  const user = await addUser(client)
  answered(await call('PUT', `/Users/${user.id}`, { ...user, active: false }))
  const { Resources } = await list(client, { filter: `userName eq "${user.userName}"` })
  expect(Resources).toMatchObject([{ id: user.id, active: false }])
})

test('all users are read in pages of a hundred', async () => {
  const page = await list(client, { startIndex: '1', count: '100' })
  expect(page.itemsPerPage).toBe(page.totalResults)
  expect((await list(client, { startIndex: '101', count: '100' })).Resources).toEqual([])
})
