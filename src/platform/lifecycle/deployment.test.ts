import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { fresh } from '../../../test/fresh.ts'
import { startApp, until } from '../../../test/harness.ts'
import { startSecondApp } from '../../../test/second-app.ts'
import { beginEventEpoch, markEventStream } from '../events/event-epoch.ts'
import { createLog } from '../observability/log.ts'
import { checkDatabaseIdentity, endHold, isOutgoingHeld, readDeployment } from './deployment.ts'

const app = await startApp()
const { platform } = app.app
const { db } = platform
const lines: string[] = []
const log = createLog({ logLevel: 'debug' }, { write: (line) => void lines.push(line) })
const start = async () => {
  await beginEventEpoch(app.databaseUrl, log)
  await checkDatabaseIdentity(app.databaseUrl, log)
}

beforeEach(async () => {
  lines.length = 0
  await sql`update deployment set system_identifier = null, database_oid = null, outgoing_held_since = null,
    outgoing_held_because = null`.execute(db)
})

test('the first start records the identity, and the next ones find it again', async () => {
  for (const _ of ['first', 'again']) await start()
  const { rows } = await sql`select d.system_identifier = c.system_identifier::text as same, database_oid = oid as here
    from deployment d, pg_control_system() c, pg_database where datname = current_database()`.execute(db)
  expect(rows).toEqual([{ same: true, here: true }])
  expect([await readDeployment(db), lines]).toEqual([
    { hold: null, recoveredAt: null, isCopy: false, isMoved: false },
    [],
  ])
})

test.each([
  ['another cluster, as after a restore or pg_upgrade', '1', null],
  ['another database of the cluster, as after createdb -T', null, 1],
] as const)('a start in %s holds messages once', async (_, system, oid) => {
  await start()
  if (system) await sql`update deployment set system_identifier = ${system}`.execute(db)
  if (oid) await sql`update deployment set database_oid = ${oid}::bigint::oid`.execute(db)
  expect((await readDeployment(db)).isCopy).toBe(true)
  // Several processes start together.
  await Promise.all([start(), start()])
  const { hold, isCopy } = await readDeployment(db)
  expect([hold?.because, isCopy]).toEqual(['copied', false])
  expect(lines[0]).toMatch(/watchword recover.*watchword outgoing release/)
  await sql`update deployment set outgoing_held_since = null, outgoing_held_because = null`.execute(db)
  await start()
  expect((await readDeployment(db)).hold).toBeNull()
})

test('a role that may not read the system identifier goes by the oid alone', async () => {
  await start()
  await sql`update deployment set system_identifier = '1'`.execute(db)
  const role = sql.id(`reader_${fresh()}`)
  await sql`create role ${role}`.execute(db)
  try {
    await sql`revoke execute on function pg_control_system() from public`.execute(db)
    await sql`grant select on deployment to ${role}`.execute(db)
    await db.transaction().execute(async (tx) => {
      await sql`set local role ${role}`.execute(tx)
      const { rows } = await sql`select database_system_identifier() as id, database_was_copied() as copied`.execute(tx)
      expect(rows).toEqual([{ id: null, copied: false }])
    })
  } finally {
    await sql`grant execute on function pg_control_system() to public`.execute(db)
    await sql`revoke all on deployment from ${role}`.execute(db)
    await sql`drop role ${role}`.execute(db)
  }
})

test('a start that waits for the release of a copy does not hold messages again', async () => {
  await start()
  await sql`update deployment set system_identifier = '1'`.execute(db)
  let starting: Promise<void> | undefined
  await platform.tx(async (tx) => {
    await endHold(platform, tx)
    starting = checkDatabaseIdentity(app.databaseUrl, log)
    await until(async () => {
      const { rows } = await sql`select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock' and application_name = 'watchword-migrate'`.execute(db)
      return rows.length > 0
    })
  })
  await starting
  expect([await readDeployment(db), lines]).toMatchObject([{ hold: null, isCopy: false }, []])
})

/** Simulates a promotion: the same cluster and database, on another timeline than when the epoch began. */
const promote = () =>
  sql`update event_stream set cluster = regexp_replace(event_cluster(), '/[0-9A-F]{8}/', '/FFFFFFF0/')`.execute(db)

test.each([
  ['a start', start],
  ['the hourly job', () => markEventStream.handle(platform, {}, 1)],
  ['the first reading of the feed', async () => (await app.tenant()).get('/v1/events')],
  ['another process', async () => isOutgoingHeld((await startSecondApp(app, { log })).app.platform)],
] as const)('after a promotion %s logs `recover` once, and holds nothing', async (_, notice) => {
  await start()
  await promote()
  app.logLines.length = 0
  for (const _ of ['first', 'again']) await notice()
  const logged = [...lines, ...app.logLines].filter((line) => line.includes('watchword recover'))
  expect([logged, (await readDeployment(db)).hold]).toEqual([[expect.stringContaining('was promoted')], null])
})

test('a copy on another timeline is reported as a copy alone', async () => {
  await start()
  await sql`update event_stream set cluster = '1/00000009/' || split_part(event_cluster(), '/', 3)`.execute(db)
  await sql`update deployment set system_identifier = '1'`.execute(db)
  await start()
  expect(lines).toEqual([expect.stringContaining('restored backup or a copy')])
})

test('a running process whose database is replaced holds messages when it next looks', async () => {
  await start()
  await sql`update deployment set system_identifier = '1'`.execute(db)
  // Its caches are empty, as they are after 5 seconds.
  const other = await startSecondApp(app)
  expect(await isOutgoingHeld(other.app.platform)).toBe(true)
  const { hold, isCopy } = await readDeployment(db)
  expect([hold?.because, isCopy]).toEqual(['copied', false])
})
