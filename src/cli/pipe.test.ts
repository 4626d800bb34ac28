import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { spawnProgram } from '../../test/programs.ts'

test.each([
  ['--help', 0],
  ['--version', 0],
])('%s whose reader has gone ends as if it were read, without an error', async (argument, code) => {
  const child = spawnProgram('cli.ts', [argument], { fromSource: true, env: { PATH: process.env['PATH'] } })
  child.stdout?.destroy()
  const [said, [ended]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')])
  expect([ended, said]).toEqual([code, ''])
})
