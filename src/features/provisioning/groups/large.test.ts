import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Reply, startApp } from '../../../../test/harness.ts'
import { provisioned } from '../../../../test/people/scim.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'

const app = await startApp()
const tenant = await app.tenant()
const { call, subOrgId } = await provisioned(app, tenant)
const { db } = app.app.platform

const oidc = { name: 'Acme', protocol: 'oidc', oidc_issuer: 'https://login.acme.example', oidc_client_id: 'watchword' }
const { connection } = (
  await tenant.post('/v1/sso/connections', { ...oidc, subOrgId, group_role_mapping: { Admins: 'admin' } })
).body
await tenant.patch('/v1/scim/config', { subOrgId, sso_connection_id: connection.id })

async function addUsers(): Promise<string[]> {
  await sql`
    insert into users (directory_id, id, environment_id, email, email_norm, source, scim_managed)
    select c.directory_id, gen_random_uuid(), ${tenant.environmentId}::uuid, 'n' || n || '@x.example', 'n' || n || '@x.example',
      'scim', true from scim_configs c, generate_series(1, 6000) n`.execute(db)
  await sql`
    insert into scim_users (directory_id, user_id, user_name, resource)
    select directory_id, id, email, '{}' from users where email like '%@x.example'`.execute(db)
  const rows = await db.selectFrom('scim_users').select('user_id').orderBy('user_id').execute()
  return rows.map(({ user_id }) => user_id)
}

const ids = await addUsers()
const members = (of: string[]) => of.map((value) => ({ value }))
const patch = (op: string, value?: object[]) => ({ Operations: [{ op, path: 'members', value }] })

const admins = async () => {
  const query = db.selectFrom('users').select(({ fn }) => fn.countAll<number>().as('count'))
  return (await query.where('role', '=', 'admin').executeTakeFirstOrThrow()).count
}

// These tables have no statistics yet, so no plan may rely on how few rows there once were.
test.each<[string, number]>([
  ['Others', 3_000],
  ['Admins', 1_000],
])('of %s, thousands of members come and go by as few statements as one', async (displayName, count) => {
  const isMapped = displayName === 'Admins'
  const [one, other] = [ids.slice(0, count), ids.slice(count, 2 * count)]
  const made = await call('POST', '/Groups', { displayName })
  const path = `/Groups/${made.body.id}`
  const changes: [() => Promise<Reply>, number][] = [
    [() => call('PUT', path, { displayName, members: members(one) }), count],
    [() => call('PUT', path, { displayName, members: members(other) }), count],
    [() => call('PATCH', path, patch('remove', members(other.slice(1)))), 1],
    [() => call('PATCH', path, patch('add', members(one))), count + 1],
    [() => call('PATCH', path, patch('replace', members(other))), count],
    [() => call('PATCH', path, patch('remove')), 0],
    [() => call('PUT', path, { displayName, members: members(one) }), count],
    [() => call('DELETE', path), 0],
    [() => call('POST', '/Groups', { displayName, members: members(one) }), count],
  ]
  for (const [n, [change, left]] of changes.entries()) {
    let reply: Reply | undefined
    const statements = await recordStatements(async () => {
      reply = await change()
    })
    expect([n, reply?.status, reply?.text]).toEqual([n, expect.toSatisfy((status) => status < 300), reply?.text])
    expect(await admins()).toBe(isMapped ? left : 0)
    // One statement for each batch of events about members who joined, left or changed.
    expect(statements.length).toBeLessThan(60)
  }
  const list = await call('GET', `/Groups?${new URLSearchParams({ filter: `displayName eq "${displayName}"` })}`)
  expect(list.body.Resources[0].members).toHaveLength(count)
})
