import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { homeAccount } from './accounts.ts'
import { setUpAccount } from './setup.ts'

const first = await startApp()
const second = await startSecondApp(first)
const { platform } = first.app

const setup = {
  accountName: 'Acme',
  ownerEmail: 'Ada@Example.com',
  ownerName: 'Ada',
  organizationName: 'First',
  organizationSlug: 'first',
}

async function count(table: 'accounts' | 'members' | 'users' | 'organizations' | 'directories') {
  const row = await platform.db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

test('refuses what could not sign in or be named, and writes nothing', async () => {
  for (const wrong of [
    { ownerEmail: 'nobody' },
    { accountName: '  ' },
    { organizationName: '' },
    { organizationName: 'First\nSecond' },
    { ownerName: 'Ada\u202e' },
    { organizationSlug: 'Not-a-slug' },
  ])
    await expect(platform.tx((tx) => setUpAccount(tx, { ...setup, ...wrong }))).rejects.toMatchObject({
      definition: { code: 'invalid_request' },
    })
  expect([await count('accounts'), await count('members')]).toEqual([0, 0])
})

test('takes the account of the first start over, once, of two that try at the same time', async () => {
  const made = await platform.tx((tx) => homeAccount(tx))
  expect(await platform.tx((tx) => homeAccount(tx))).toEqual(made)
  const outcomes = await Promise.allSettled(
    [first.app, second.app].map(({ platform: { tx } }) => tx((db) => setUpAccount(db, setup))),
  )
  const [done, refused] = outcomes.toSorted((a, b) => a.status.localeCompare(b.status))
  expect(refused).toMatchObject({ status: 'rejected', reason: { definition: { code: 'account_exists' } } })
  if (done?.status !== 'fulfilled') throw new Error('neither was done')
  const { accountId, organizationId, membershipId, ownerUserId, productionId } = done.value
  expect([accountId, productionId]).toEqual([made.accountId, made.productionId])
  const { db } = platform
  expect(await db.selectFrom('accounts').select(['id', 'name', 'home']).execute()).toEqual([
    { id: accountId, name: 'Acme', home: true },
  ])
  expect(await db.selectFrom('members').selectAll().execute()).toMatchObject([
    {
      id: membershipId,
      account_id: accountId,
      organization_id: null,
      email: 'Ada@Example.com',
      email_norm: 'ada@example.com',
      display_name: 'Ada',
      role: 'owner',
      status: 'active',
    },
  ])
  const users = db.selectFrom('users').innerJoin('directories', 'directories.id', 'users.directory_id')
  expect(await users.selectAll('users').select(['kind', 'directories.environment_id as of']).execute()).toMatchObject([
    { id: ownerUserId, kind: 'console', of: productionId, source: 'api', email_verified: false, auth_account_id: null },
  ])
  expect(await db.selectFrom('organizations').select(['id', 'account_id', 'slug']).execute()).toEqual([
    { id: organizationId, account_id: accountId, slug: 'first' },
  ])
})

test('another account is made beside it', async () => {
  const other = await platform.tx((tx) => setUpAccount(tx, { ...setup, accountName: 'Other' }))
  const { db } = platform
  expect(await db.selectFrom('accounts').select(['id', 'home']).where('name', '=', 'Other').execute()).toEqual([
    { id: other.accountId, home: false },
  ])
  await expect(platform.tx((tx) => setUpAccount(tx, { ...setup, accountName: 'Other' }))).rejects.toMatchObject({
    definition: { code: 'account_exists' },
  })
  expect([await count('accounts'), await count('users'), await count('organizations')]).toEqual([2, 2, 2])
})

test('an account called Default is not taken over once somebody is in it', async () => {
  await platform.db.updateTable('accounts').set({ name: 'Default' }).where('home', '=', true).execute()
  const made = await platform.tx((tx) => setUpAccount(tx, { ...setup, accountName: 'Third' }))
  const home = await platform.tx((tx) => homeAccount(tx))
  expect(made.accountId).not.toBe(home.accountId)
  expect(await count('accounts')).toBe(3)
})
