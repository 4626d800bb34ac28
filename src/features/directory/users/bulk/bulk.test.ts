import { expect, test } from 'vitest'
import { startApp } from '../../../../../test/harness.ts'
import { watchEvents } from '../../../../../test/people/people.ts'

const { tenant, events } = await startApp()

const t = await tenant()
const subOrgId = await t.organization()
const put = (body: Record<string, unknown>) => t.put('/v1/users', { subOrgId, ...body })
const emailsOf = (users: { email: string }[]) => users.map((user) => user.email)

const freshEvents = watchEvents({ events }, t.accountId)

test('every row has its own outcome, in order', async () => {
  await t.post('/v1/users', { subOrgId, email: 'here@example.com' })
  await freshEvents()
  const users = [
    { email: 'z@example.com', displayName: 'Zoe', metadata: { n: 1 }, emailVerified: true },
    { email: 'HERE@example.com' },
    { email: 'nobody' },
    { email: 'a@example.com', firstName: '', phone: '+1 415 555 0123' },
    { email: 'Z@Example.com', displayName: 'Another Zoe' },
    {},
    { email: 7 },
    { email: 'b@example.com', phone: 'none' },
    { email: 'c@example.com', password: 'x' },
    { email: 'd@example.com', role: 'owner' },
    { email: 'e@example.com', emailVerified: 'yes' },
    { email: 'f@example.com', metadata: { text: 'x'.repeat(17_000) } },
    { email: 'b@example.com' },
    { email: 'a <g@example.com>' },
    { email: 'h@example.com', 'a.b': 1 },
  ]
  const reply = await put({ users })
  expect(reply.status).toBe(200)
  const { created, skipped, failed } = reply.body
  expect(emailsOf(created)).toEqual(['z@example.com', 'a@example.com', 'b@example.com'])
  expect(created[0]).toMatchObject({
    subOrgId,
    displayName: 'Zoe',
    metadata: { n: 1 },
    emailVerified: true,
    source: 'bulk',
    status: 'active',
  })
  expect(created[1]).toMatchObject({ firstName: null, phone: '+1 415 555 0123', emailVerified: false, metadata: {} })
  expect(skipped).toEqual([
    { email: 'HERE@example.com', reason: 'already_exists' },
    { email: 'Z@Example.com', reason: 'duplicate_in_request' },
  ])
  expect(failed).toEqual([
    { email: 'nobody', error: 'invalid_email' },
    { email: null, error: 'invalid_email' },
    { email: null, error: 'invalid_email' },
    { email: 'b@example.com', error: 'invalid_field:phone' },
    { email: 'c@example.com', error: 'invalid_field:password' },
    { email: 'd@example.com', error: 'invalid_field:role' },
    { email: 'e@example.com', error: 'invalid_field:emailVerified' },
    { email: 'f@example.com', error: 'invalid_field:metadata' },
    { email: 'a <g@example.com>', error: 'invalid_email' },
    { email: 'h@example.com', error: 'invalid_field:a.b' },
  ])
  const recorded = await freshEvents()
  expect(recorded.map((event) => [event.type, event.data])).toEqual(
    created.map((user: unknown) => ['user.created', user]),
  )
  const stored = await t.get(`/v1/users?subOrgId=${subOrgId}&include_total=true`)
  expect(stored.body.total).toBe(4)
})

test('text adds people as well', async () => {
  const bulkText =
    '# team\r\nt1@example.com\r\nt2@example.com,Tina,Turner\r\n\r\nT Three <t3@example.com>\r\nx,y,z,t4@example.com\r\nT1@example.com'
  const { body } = await put({ bulkText })
  expect(body.created).toMatchObject([
    { email: 't1@example.com', displayName: null, firstName: null },
    { email: 't2@example.com', displayName: null, firstName: 'Tina', lastName: 'Turner' },
    { email: 't3@example.com', displayName: 'T Three', firstName: null },
  ])
  expect(body.skipped).toEqual([{ email: 'T1@example.com', reason: 'duplicate_in_request' }])
  expect(body.failed).toEqual([{ email: 'x', error: 'invalid_field:line' }])
})

test('500 are one request, 501 are refused whole, and nobody is a success', async () => {
  const people = (n: number, at: string) => Array.from({ length: n }, (_, i) => ({ email: `p${i}@${at}.example.com` }))
  await freshEvents()
  const full = await put({ users: people(500, 'full') })
  expect([full.status, emailsOf(full.body.created)]).toEqual([200, emailsOf(people(500, 'full'))])
  expect((await freshEvents()).map((event) => event.target_id)).toEqual(
    full.body.created.map((user: { id: string }) => user.id),
  )
  const over = [
    await put({ users: people(501, 'over') }),
    await put({ bulkText: emailsOf(people(501, 'over')).join('\n') }),
  ]
  expect(over.map((reply) => [reply.status, reply.body.code])).toEqual([
    [400, 'too_many_users'],
    [400, 'too_many_users'],
  ])
  for (const body of [{ users: [] }, { bulkText: '\n# nobody\n' }])
    expect((await put(body)).body).toEqual({ created: [], skipped: [], failed: [] })
  expect(await freshEvents()).toEqual([])
  expect((await t.get(`/v1/users?subOrgId=${subOrgId}&q=p0@over`)).body.users).toEqual([])
})

test('both inputs, neither, wrong types, prototype keys beside them and too large a body are refused', async () => {
  const replies = [
    await put({}),
    await put({ users: [], bulkText: '' }),
    await put({ users: { length: 1 } }),
    await put({ bulkText: 5 }),
    await put({ users: [], prototype: {} }),
    await put({ bulkText: `#${' '.repeat(5 * 1024 * 1024)}` }),
  ]
  expect(replies.map((reply) => [reply.status, reply.body.code])).toEqual([
    ...Array.from({ length: 5 }, () => [400, 'invalid_request']),
    [413, 'payload_too_large'],
  ])
  for (const reply of replies.slice(0, 2))
    expect(reply.body.errors.map((error: { field: string }) => error.field)).toEqual(['users', 'bulkText'])
  const large = await put({ bulkText: `#${' '.repeat(4 * 1024 * 1024)}\nlarge@example.com` })
  expect([large.status, emailsOf(large.body.created)]).toEqual([200, ['large@example.com']])
})

test('a hostile row, or one that is none, fails alone', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`)
  const rows = [
    '{"email":"k0@example.com"}',
    '{"email":"k1@example.com","__proto__":{"a":1}}',
    '{"email":"k2@example.com","metadata":{"constructor":1}}',
    '{"email":"k3@example.com","displayName":"\\u0000"}',
    JSON.stringify({ email: 'k4@example.com', metadata: deep }),
    JSON.stringify({ email: 'k5@example.com', metadata: { many: Array(20_000).fill(1) } }),
    'null',
    '"k6@example.com"',
    '[{"email":"k7@example.com"}]',
    '{"email":"k8@example.com"}',
  ]
  const { status, body } = await t.put('/v1/users', `{"subOrgId":"${subOrgId}","users":[${rows.join()}]}`)
  expect([status, emailsOf(body.created)]).toEqual([200, ['k0@example.com', 'k8@example.com']])
  expect(body.failed.map(({ email }: { email: string | null }) => email)).toEqual([
    ...[1, 2, 3, 4, 5].map((n) => `k${n}@example.com`),
    ...[null, null, null],
  ])
})

test('five MiB of rows are counted before any is looked at', async () => {
  const rows = `{"subOrgId":"${subOrgId}","users":[${'{},'.repeat(1_700_000)}{}]}`
  const lines = JSON.stringify({ subOrgId, bulkText: 'x\n'.repeat(1_700_000) })
  for (const body of [rows, lines]) {
    const reply = await t.put('/v1/users', body)
    expect([reply.status, reply.body.code]).toEqual([400, 'too_many_users'])
  }
})

test('people of another organization do not count as existing', async () => {
  const elsewhere = await t.organization()
  await put({ bulkText: 'twice@example.com' })
  const reply = await t.put('/v1/users', { subOrgId: elsewhere, bulkText: 'twice@example.com' })
  expect(reply.body.created).toMatchObject([{ email: 'twice@example.com', subOrgId: elsewhere }])
})
