import { setTimeout as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { newId } from '../ids.ts'
import { defineJoined, runTogether } from './joined.ts'
import { sqlText } from './sql-text.ts'

const { app } = await startApp()

const statement = defineJoined()({ columns: {}, text: () => sqlText` select n from asked` })

test('what a request has brought is let go of once it is answered', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const ask = async () => {
    const request = { body: { password: 'correct horse' } }
    const lead = { statement, row: {}, complete: () => [request.body].slice(1) }
    const item = { statement, directoryId: newId(), row: {}, lead }
    expect(await runTogether(app.platform, item)).toEqual({ n: 0 })
    return new WeakRef(request)
  }
  const asked = [await ask(), await ask(), await ask()]
  await turn(0)
  collect()
  expect(asked.map((request) => request.deref())).toEqual([undefined, undefined, undefined])
})

test('requests share a statement if they have its common values in common, and each gets its own row', async () => {
  const counting = defineJoined<{ text: string; common: number; together: number }>()({
    columns: { text: 'text' },
    text: ({ shared }) =>
      sqlText` select n, text, ${shared(0)} as common, count(*) over ()::int as together from asked`,
  })
  const ask = (text: string, common: number) =>
    runTogether(app.platform, { statement: counting, directoryId: newId(), row: { text }, shared: [common] })
  expect(await Promise.all([ask('a', 1), ask('b', 2), ask('c', 1)])).toEqual([
    { n: 0, text: 'a', common: 1, together: 2 },
    { n: 0, text: 'b', common: 2, together: 1 },
    { n: 1, text: 'c', common: 1, together: 2 },
  ])
})
