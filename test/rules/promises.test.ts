import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const biome = join(root, 'node_modules/.bin/biome')

interface Report {
  summary: { unchanged: number }
  diagnostics: { message: string; location: { path: string; start: { line: number } } }[]
}

/**
 * Conditions that are true whatever happens, such as a promise without `await`. `tsc` and `noMisusedPromises` of Biome find
 * most of them, but not `!promise` nor `some(async …)`. This rule of Biome does. What else it reports is not asked here.
 */
async function findTruisms(...args: string[]): Promise<{ files: number; found: string[] }> {
  const only = ['lint', '--only=nursery/useStrictBooleanExpressions', '--reporter=json', '--max-diagnostics=none']
  const { stdout } = await promisify(execFile)(biome, [...only, ...args], { cwd: root, maxBuffer: 2 ** 26 })
  const { summary, diagnostics }: Report = JSON.parse(stdout)
  const truisms = diagnostics.filter(({ message }) => message.includes('always-truthy'))
  return {
    files: summary.unchanged,
    found: truisms.map(({ location: { path, start } }) => `${path}:${start.line}`),
  }
}

test('no condition is a promise', async () => {
  const { files, found } = await findTruisms('src')
  expect(files).toBeGreaterThan(1000)
  expect(found).toEqual([])
})
