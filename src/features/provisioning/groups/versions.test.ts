import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { addUser, answered, list, patchOf } from '../../../../test/people/scim-answers.ts'

const RUNS = Number(process.env['SCIM_REQUESTS'] ?? 12)

const app = await startApp()
const tenant = await app.tenant()

const newClient = () => provisioned(app, tenant)
type Client = Awaited<ReturnType<typeof newClient>>

const newGroup = async ({ call }: Client, ...members: string[]): Promise<string> =>
  answered(await call('POST', '/Groups', { displayName: fresh(), members: members.map((value) => ({ value })) }), 201)
    .id
const newMember = async (client: Client, more: object = {}): Promise<string> =>
  (await addUser(client, { userName: `${fresh()}@acme.example`, externalId: fresh(), ...more })).id

interface Shown {
  body: Reply['body'] | null
  etag: string
}

async function show({ call }: Client, path: string): Promise<Shown> {
  const reply = await call('GET', path)
  if (reply.status === 404) return { body: null, etag: '' }
  const body = answered(reply)
  const etag = reply.headers.get('etag') ?? ''
  expect(body.meta.version).toBe(etag)
  return { body, etag }
}

/** The body without its version. */
const contentOf = ({ meta: { version: _, lastModified: __, ...meta }, ...rest }: Reply['body']) => ({ ...rest, meta })

/**
 * Compares the current bodies with earlier ones. A changed body has a new version and time, and conditions depend on
 * them.
 */
async function compare(client: Client, path: string, before: Shown): Promise<Shown> {
  const after = await show(client, path)
  if (before.body === null || after.body === null) return after
  const isSame = JSON.stringify(contentOf(before.body)) === JSON.stringify(contentOf(after.body))
  if (!isSame) {
    expect(after.etag, path).not.toBe(before.etag)
    expect(Date.parse(after.body.meta.lastModified), path).toBeGreaterThan(Date.parse(before.body.meta.lastModified))
    const stale = await client.call('GET', path, undefined, { 'if-none-match': before.etag })
    expect(stale.status, path).toBe(200)
    const condition = { 'if-match': before.etag }
    const refused = await client.call(
      'PATCH',
      path,
      patchOf({ op: 'replace', path: 'externalId', value: 'x' }),
      condition,
    )
    expect(refused.status, path).toBe(412)
  }
  const fresh = await client.call('GET', path, undefined, { 'if-none-match': after.etag })
  expect(fresh.status, path).toBe(304)
  return after
}

const removals = async (from: number) =>
  (await app.events({ accountId: tenant.accountId }))
    .slice(from)
    .filter(({ type }) => type === 'scim.group.member_removed')
const countEvents = async () => (await app.events({ accountId: tenant.accountId })).length

test.each<[string, (client: Client, id: string) => Promise<unknown>]>([
  ['the client deletes', ({ call }, id) => call('DELETE', `/Users/${id}`)],
  [
    'the client permanently deletes',
    async ({ call, subOrgId }, id) => {
      succeeded(await tenant.patch('/v1/scim/config', { subOrgId, onDeprovision: 'delete' }))
      return call('DELETE', `/Users/${id}`)
    },
  ],
  ['the API deletes', ({ subOrgId }, id) => tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}&force=true`)],
  [
    'the API moves',
    async ({ subOrgId }, id) =>
      tenant.post(`/v1/users/${id}`, { subOrgId, targetSubOrgId: await tenant.organization(), force: true }),
  ],
])('%s a user: the groups get a new version and record one removal each', async (_, leave) => {
  const client = await newClient()
  const [gone, stays] = [await newMember(client), await newMember(client)]
  const groups = [await newGroup(client, gone, stays), await newGroup(client, gone)]
  const other = await newGroup(client, stays)
  const paths = [...groups, other].map((id) => `/Groups/${id}`)
  const before = await Promise.all(paths.map((path) => show(client, path)))
  const mark = await countEvents()
  expect(await leave(client, gone)).toMatchObject({ status: expect.toSatisfy((status) => status < 300) })
  const after: Shown[] = []
  for (const [n, path] of paths.entries())
    after.push(await compare(client, path, before[n] ?? { body: null, etag: '' }))
  expect(after.map(({ body }) => body.members?.length ?? 0)).toEqual([1, 0, 1])
  expect(after[2]?.etag).toBe(before[2]?.etag)
  const told = await removals(mark)
  expect(
    told.map(({ target_id, data }) => [target_id, Object(data).memberId, Object(data).group.id]).toSorted(),
  ).toEqual(groups.map((id) => [id, gone, id]).toSorted())
})

test('a deleted group leaves its parents, and its users change', async () => {
  const client = await newClient()
  const user = await newMember(client)
  const child = await newGroup(client, user)
  const parent = await newGroup(client, child)
  const before = [await show(client, `/Groups/${parent}`), await show(client, `/Users/${user}`)] as const
  expect(before[1].body.groups).toHaveLength(2)
  const mark = await countEvents()
  expect((await client.call('DELETE', `/Groups/${child}`)).status).toBe(204)
  await compare(client, `/Groups/${parent}`, before[0])
  expect((await compare(client, `/Users/${user}`, before[1])).body.groups).toBeUndefined()
  expect((await removals(mark)).map(({ target_id, data }) => [target_id, Object(data).memberId])).toEqual([
    [parent, child],
  ])
})

test('a new name changes the version of the groups around, by every route', async () => {
  const client = await newClient()
  const { call, subOrgId } = client
  const user = await newMember(client)
  const child = await newGroup(client, user)
  const parent = await newGroup(client, child)
  const paths = [`/Users/${user}`, `/Groups/${child}`, `/Groups/${parent}`]
  let shown = await Promise.all(paths.map((path) => show(client, path)))
  const see = async (change: Promise<Reply>, changed: number[]) => {
    expect((await change).status).toBeLessThan(300)
    const next: Shown[] = []
    for (const [n, path] of paths.entries())
      next.push(await compare(client, path, shown[n] ?? { body: null, etag: '' }))
    expect(next.flatMap(({ etag }, n) => (etag === shown[n]?.etag ? [] : [n]))).toEqual(changed)
    shown = next
  }
  const rename = (path: string, value: string, at: string) =>
    call('PATCH', path, patchOf({ op: 'replace', path: at, value }))
  await see(rename(`/Users/${user}`, `${fresh()}@acme.example`, 'userName'), [0, 1])
  await see(rename(`/Users/${user}`, 'Ada Lovelace', 'displayName'), [0, 1])
  await see(rename(`/Users/${user}`, `${fresh()}@acme.example`, 'userName'), [0])
  await see(tenant.patch(`/v1/users/${user}`, { subOrgId, displayName: 'Ada King', force: true }), [0, 1])
  await see(rename(`/Users/${user}`, 'Analyst', 'title'), [0])
  await see(rename(`/Groups/${child}`, fresh(), 'displayName'), [0, 1, 2])
  await see(rename(`/Groups/${parent}`, fresh(), 'displayName'), [0, 2])
  await see(rename(`/Groups/${parent}`, 'g-1', 'externalId'), [2])
  await see(call('PATCH', `/Groups/${parent}`, patchOf({ op: 'remove', path: 'members' })), [0, 2])
  await see(call('PATCH', `/Groups/${parent}`, patchOf({ op: 'remove', path: 'members' })), [])
})

test('lists filter and sort by the time of the last change of the body', async () => {
  const client = await newClient()
  const user = await newMember(client)
  const other = await newMember(client)
  const group = await newGroup(client, user, other)
  await app.advance(60)
  const since = app.app.platform.clock.now().toISOString()
  const filter = `meta.lastModified gt "${since}"`
  await app.advance(60)
  expect(
    (await client.call('PATCH', `/Groups/${group}`, patchOf({ op: 'replace', path: 'displayName', value: fresh() })))
      .status,
  ).toBe(204)
  expect((await list(client, { filter })).totalResults).toBe(2)
  await app.advance(60)
  await client.call('DELETE', `/Users/${user}`)
  const now = new Date(app.app.platform.clock.now().getTime() - 30_000).toISOString()
  const found = await list(client, { filter: `meta.lastModified gt "${now}"`, sortBy: 'meta.lastModified' }, '/Groups')
  expect(found.Resources.map(({ id }: { id: string }) => id)).toEqual([group])
  expect(found.Resources[0].meta).toEqual((await show(client, `/Groups/${group}`)).body.meta)
  const bulk = answered(
    await client.call('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [
        { method: 'PATCH', path: `/Groups/${group}`, data: patchOf({ op: 'add', path: 'members', value: [] }) },
      ],
    }),
  )
  expect(bulk.Operations[0].version).toBe((await show(client, `/Groups/${group}`)).etag)
})

type Kind =
  | 'join'
  | 'leave'
  | 'nest'
  | 'unnest'
  | 'renameGroup'
  | 'renameUser'
  | 'userName'
  | 'apiName'
  | 'deactivate'
  | 'deleteUser'
  | 'deleteGroup'
  | 'comeBack'
  | 'nothing'
const KINDS: Kind[] = ['join', 'join', 'leave', 'nest', 'nest', 'unnest', 'renameGroup', 'renameUser', 'userName']
const steps = fc.record({
  kind: fc.constantFrom<Kind>(...KINDS, 'apiName', 'deactivate', 'deleteUser', 'deleteGroup', 'comeBack', 'nothing'),
  user: fc.nat(2),
  group: fc.nat(2),
  other: fc.nat(2),
})

test('a change of a body changes its version, and a request without a change does not', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 8, maxLength: 20 }), async (sequence) => {
      const client = await newClient()
      const { call, subOrgId } = client
      const names = Array.from({ length: 3 }, () => ({ userName: `${fresh()}@acme.example`, externalId: fresh() }))
      const users = await Promise.all(names.map((one) => newMember(client, one)))
      const groups = [await newGroup(client), await newGroup(client), await newGroup(client)]
      const paths = [...users.map((id) => `/Users/${id}`), ...groups.map((id) => `/Groups/${id}`)]
      let shown = await Promise.all(paths.map((path) => show(client, path)))
      for (const { kind, user: u, group: g, other: o } of sequence) {
        const [user, group, other] = [users[u] ?? '', groups[g] ?? '', groups[o] ?? '']
        const name = names[u] ?? { userName: '', externalId: '' }
        const members = (op: string, value: string) =>
          call(
            'PATCH',
            `/Groups/${group}`,
            patchOf(
              op === 'add' ? { op, path: 'members', value: [{ value }] } : { op, path: `members[value eq "${value}"]` },
            ),
          )
        const set = (path: string, at: string, value: unknown) =>
          call('PATCH', path, patchOf({ op: 'replace', path: at, value }))
        const run: Record<Kind, () => Promise<unknown>> = {
          join: () => members('add', user),
          leave: () => members('remove', user),
          nest: () => members('add', other),
          unnest: () => members('remove', other),
          renameGroup: () => set(`/Groups/${group}`, 'displayName', fresh()),
          renameUser: () => set(`/Users/${user}`, 'displayName', fresh()),
          userName: () => set(`/Users/${user}`, 'userName', `${fresh()}@acme.example`),
          apiName: () => tenant.patch(`/v1/users/${user}`, { subOrgId, displayName: fresh(), force: true }),
          deactivate: () => set(`/Users/${user}`, 'active', false),
          deleteUser: () => call('DELETE', `/Users/${user}`),
          deleteGroup: () => call('DELETE', `/Groups/${group}`),
          comeBack: () => call('POST', '/Users', { ...name, userName: `${fresh()}@acme.example` }),
          nothing: () => call('GET', '/Users'),
        }
        await run[kind]()
        const next: Shown[] = []
        for (const [n, path] of paths.entries())
          next.push(await compare(client, path, shown[n] ?? { body: null, etag: '' }))
        if (kind === 'nothing') expect(next).toEqual(shown)
        shown = next
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
