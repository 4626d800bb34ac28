import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { snapshot } from '../snapshot.ts'

const app = await startApp()
const tenant = await app.tenant()
const { db } = app.app.platform

test('one changed value of one row shows, in its table alone; when a key was used, or a lock, does not', async () => {
  await tenant.organization()
  const before = await snapshot(app)
  expect(await snapshot(app)).toEqual(before)
  await sql`update api_keys set last_used_at = now() + interval '1 hour'`.execute(db)
  expect(await snapshot(app)).toEqual(before)
  await sql`select from organizations for update`.execute(db)
  expect(await snapshot(app)).toEqual(before)
  await sql`update organizations set name = name || ' Ltd'`.execute(db)
  const after = await snapshot(app)
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['organizations'])
  await sql`delete from organizations`.execute(db)
  expect(await snapshot(app)).not.toMatchObject({ organizations: after['organizations'] })
})

test('a refused sign-in is left out where that is asked for, and no other event', async () => {
  const all = { failedSignIns: false }
  const add = (type: string) => sql`insert into events (select made.* from events e,
    lateral jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'type', ${type}::text)) made limit 1)`
  const [before, strict] = [await snapshot(app, all), await snapshot(app)]
  await add('auth.login.failed').execute(db)
  expect(await snapshot(app, all)).toMatchObject({ events: before['events'] })
  expect(await snapshot(app)).not.toMatchObject({ events: strict['events'] })
  await add('user.created').execute(db)
  expect(await snapshot(app, all)).not.toMatchObject({ events: before['events'] })
})
