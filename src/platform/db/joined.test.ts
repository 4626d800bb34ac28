import { setTimeout as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { newId } from '../ids.ts'
import { type JoinedStatement, runTogether } from './joined.ts'

const { app } = await startApp()

const statement: JoinedStatement = { columns: {}, order: 'n', text: () => ' select n from asked' }

test('what a request has brought is let go of once it is answered', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const ask = async () => {
    const request = { body: { password: 'correct horse' } }
    const lead = { statement, row: {}, complete: () => [request.body].slice(1) }
    const item = { statement, directoryId: newId(), key: null, row: {}, more: [], lead }
    expect(await runTogether(app.platform, item)).toEqual({ n: 0 })
    return new WeakRef(request)
  }
  const asked = [await ask(), await ask(), await ask()]
  await turn(0)
  collect()
  expect(asked.map((request) => request.deref())).toEqual([undefined, undefined, undefined])
})
