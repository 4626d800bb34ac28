import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { workIn } from '../../../test/work.ts'
import { loginEvents } from '../../features/access/login/events.ts'
import { mfaEvents } from '../../features/access/mfa/events.ts'
import { defineJoined, runAlone } from '../joined/joined.ts'
import { sqlText } from '../joined/sql-text.ts'
import { accountDirectory } from '../tenancy/directory.ts'
import { EVENT_COLUMNS, joinedEventRow, ORIGIN_COLUMNS, originRow, record, recordText } from './events.ts'

const service = await startApp()
const { platform } = service.app
const { db } = platform
const tenant = await service.tenant()

// Uses a feature's events as examples, so that the test does not change the catalogue.
const { succeeded, signedUp } = loginEvents
const target = { type: 'thing', id: '0198b6f2-7c19-7d3e-9b42-5a1f0c8e6d21' }

async function recorded() {
  const rows = await service.events({ accountId: tenant.accountId })
  return rows.map(({ type, target_id, data, previous }) => ({ type, target_id, data, previous }))
}

test('a statement records what it says with the row that it waits for, and nothing without one', async () => {
  const work = workIn(platform, await accountDirectory(platform, { ...tenant, environmentSlug: 'production' }))
  const [before, method] = [{ method: 'password' }, 'otp']
  const found = succeeded({ target, data: { method: 'unknown' }, previous: before })
  const events = [{ ...found, filledField: 'method' }, signedUp({ data: { method } })]
  const [one, other] = events.map((event) => joinedEventRow(work, event))
  const from = sqlText`ready join (select) as made on ready.text is not null`
  const statement = defineJoined()({
    columns: { text: 'text', ...ORIGIN_COLUMNS },
    more: EVENT_COLUMNS,
    text: ({ directory, more }) => sqlText`,
      ready as (select asked.*, clock.at from clock cross join asked),
      recorded as (${recordText({ more, directory: directory('ready'), from, filled: sqlText`ready.text` })})
      select n from ready`,
  })
  const run = (text: string | null) => {
    const row = { text, ...originRow(work) }
    return runAlone(db, { statement, directoryId: work.directory.id, row, more: [one ?? {}, other ?? {}] })
  }

  await run(null)
  expect(await recorded()).toEqual([])
  await run(method)
  expect(await recorded()).toEqual([
    { type: 'auth.login.succeeded', target_id: target.id, data: { method }, previous: before },
    { type: 'auth.signup.succeeded', target_id: null, data: { method }, previous: null },
  ])
  // Recording without a condition gives the same event.
  await record(work, succeeded({ target, data: { method }, previous: before }))
  const [conditional, , plain] = await recorded()
  expect(plain).toEqual(conditional)
})

test('in tests nothing is recorded that the catalogue does not know, nor a change without what was there before', async () => {
  const work = workIn(platform, await accountDirectory(platform, { ...tenant, environmentSlug: 'production' }))
  const before = await recorded()
  const changed = { definition: mfaEvents.policyUpdated, target: null, data: { enforced: 'everybody' }, previous: null }
  await expect(record(work, changed)).rejects.toThrow('was recorded without what was there before')
  await expect(record(work, { ...changed, previous: {} })).rejects.toThrow('does not match its schema')
  expect(await recorded()).toEqual(before)
})
