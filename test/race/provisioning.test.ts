import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import { startApp } from '../harness.ts'
import { provisioned, scimCaller } from '../people/scim.ts'
import { startSecondApp } from '../second-app.ts'

const first = await startApp()
const second = await startSecondApp(first)
const tenant = await first.tenant()

const rotate = async (subOrgId: string, overlap_seconds: number): Promise<string> =>
  (await tenant.post('/v1/scim/config', { action: 'rotate-token', overlap_seconds, subOrgId })).body.token

test('two clients that provision the same people at once give each person once', async () => {
  const { subOrgId, token, call } = await provisioned(first, tenant)
  const other = scimCaller(second, await rotate(subOrgId, 3600))
  expect((await call('GET', '/Users')).status).toBe(200)
  const people = Array.from({ length: 12 }, () => `${fresh()}@acme.example`)
  const create = (userName: string) => ({ userName, externalId: `of ${userName}` })
  const replies = await Promise.all(
    people.flatMap((name) =>
      [call, other, scimCaller(second, token)].map((post) => post('POST', '/Users', create(name))),
    ),
  )
  const statuses = replies.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array(12).fill(201), ...Array(24).fill(409)])
  const { totalResults, Resources } = (await other('GET', '/Users')).body
  expect(totalResults).toBe(12)
  expect(Resources.map(({ userName }: { userName: string }) => userName).toSorted()).toEqual(people.toSorted())
  const users = (await tenant.get(`/v1/users?subOrgId=${subOrgId}&limit=100`)).body.users
  expect(users).toHaveLength(12)
})

/** Asks one after the other on both apps until `isOver`; tells of each when it began, and what it came to. */
async function synchronize(token: string, isOver: () => boolean): Promise<{ beganAfter: boolean; status: number }[]> {
  const seen: { beganAfter: boolean; status: number }[] = []
  const sync = async (app: { baseUrl: string }) => {
    const call = scimCaller(app, token)
    for (let left = 5; left > 0; ) {
      const beganAfter = isOver()
      seen.push({ beganAfter, status: (await call('GET', '/Users?count=1')).status })
      if (beganAfter) left -= 1
    }
  }
  await Promise.all([first, second, first, second].map(sync))
  return seen
}

test.each([
  ['with an overlap no request of a synchronization under way is refused', 3600, 200],
  ['without an overlap none that begins after the answer is served', 0, 401],
])('of a token that is rotated, %s', async (_name, overlap, after) => {
  const { subOrgId, token, call } = await provisioned(first, tenant)
  const other = scimCaller(second, token)
  expect([(await call('GET', '/Users')).status, (await other('GET', '/Users')).status]).toEqual([200, 200])
  let isOver = false
  const running = synchronize(token, () => isOver)
  const next = await rotate(subOrgId, overlap)
  isOver = true
  const seen = await running
  const statuses = (late: boolean) => new Set(seen.filter((one) => one.beganAfter === late).map(({ status }) => status))
  expect([...statuses(true)]).toEqual([after])
  if (overlap > 0) expect([...statuses(false)]).toEqual([200])
  for (const app of [first, second]) expect((await scimCaller(app, next)('GET', '/Users')).status).toBe(200)
})

test('an end that no other process has heard of is heeded by the request itself', async () => {
  const { subOrgId, token } = await provisioned(first, tenant)
  const call = scimCaller(second, token)
  expect((await call('GET', '/Users')).status).toBe(200)
  // As if the notification were lost.
  const { db } = first.app.platform
  const directory = await db.selectFrom('directories').select('id').where('organization_id', '=', subOrgId).execute()
  const ids = directory.map(({ id }) => id)
  await db.deleteFrom('scim_tokens').where('directory_id', 'in', ids).execute()
  const reply = await call('GET', '/Users')
  expect([reply.status, reply.body.status]).toEqual([401, '401'])
  expect(reply.headers.get('www-authenticate')).toContain('invalid_token')
})
