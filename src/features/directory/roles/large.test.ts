import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { succeeded } from '../../../../test/people/factors.ts'
import { groupedOrganization } from '../../../../test/people/group-roles.ts'
import { connect, startFederatedApp } from '../../../../test/people/oidc-organization.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'

const service = await startFederatedApp()
const { app, tenant } = service
const { db } = app.app.platform
const USERS = 4_000

test('a connection that gave thousands of users roles takes them by few statements, and leaves the others alone', async () => {
  const { home, roles } = await groupedOrganization(service)
  const group_role_mapping = { Admins: 'admin', Pay: 'payer', Read: 'reader' }
  const connection = await connect(home, 'https://login.acme.example', { group_role_mapping })
  const { id: directoryId } = await db
    .selectFrom('directories')
    .select('id')
    .where('organization_id', '=', home.id)
    .where('environment_id', '=', tenant.environmentId)
    .executeTakeFirstOrThrow()
  // Half of the users also have a custom role. The last hundred only have that.
  const has = sql`case when n % 2 = 0 or n > ${USERS} then array[${roles.payer}::uuid] else '{}' end`
  const isAdmin = sql`n <= ${USERS}`
  await sql`
    with made as (
      insert into users (directory_id, id, environment_id, email, email_norm, source, role, sso_role, role_ids)
      select ${directoryId}::uuid, gen_random_uuid(), ${tenant.environmentId}::uuid, 'n' || n || '@x.example',
        'n' || n || '@x.example', 'sso', case when ${isAdmin} then 'admin' else 'member' end,
        case when ${isAdmin} then 'admin' end, ${has}
      from generate_series(1, ${USERS}::int + 100) n returning id, sso_role, role_ids),
    given as (
      insert into role_assignments (directory_id, id, user_id, role_id, source)
      select ${directoryId}::uuid, gen_random_uuid(), id, unnest(role_ids), 'sso' from made)
    insert into sso_roles (directory_id, user_id, connection_id, groups, is_admin, role_ids)
    select ${directoryId}::uuid, id, ${connection}::uuid,
      case when sso_role = 'admin' then array['Admins', 'Pay'] else array['Pay'] end, sso_role is not null, role_ids
    from made`.execute(db)
  const counts = async () => {
    const { rows } = await sql<{ admins: number; payers: number; versions: number }>`
      select count(*) filter (where role = 'admin')::int as admins,
        count(*) filter (where role_ids <> '{}')::int as payers, sum(version)::int as versions
      from users where directory_id = ${directoryId}`.execute(db)
    return rows[0]
  }
  const path = `/v1/sso/connections/${connection}`
  const during = async (run: () => Promise<unknown>) => (await recordStatements(async () => void (await run()))).length
  const before = await counts()
  expect(before).toMatchObject({ admins: USERS, payers: USERS / 2 + 100 })
  const patch = async (mapping: object) => succeeded(await home.key.patch(path, { group_role_mapping: mapping }))
  expect(await during(() => patch({ Pay: 'payer', Read: 'reader' }))).toBeLessThan(100)
  expect(await counts()).toEqual({
    admins: 0,
    payers: USERS / 2 + 100,
    versions: (before?.versions ?? 0) + USERS,
  })
  expect(await during(async () => succeeded(await home.key.delete(path)))).toBeLessThan(100)
  expect(await counts()).toEqual({ admins: 0, payers: 0, versions: (before?.versions ?? 0) + USERS * 1.5 + 100 })
})
