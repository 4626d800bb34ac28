import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../../test/harness.ts'

// The build in a copy of what it reads, so that it does not disturb the tests that use the package.

const root = fileURLToPath(new URL('../../..', import.meta.url))
const place = mkdtempSync(join(tmpdir(), 'watchword-build-'))
afterAll(() => rmSync(place, { recursive: true }))
const sdk = join(place, 'packages/sdk')
const READ = ['package.json', 'tsconfig.json', 'tools/build-sdk.ts', 'packages/sdk/src']
for (const name of [...READ, 'packages/sdk/package.json', 'packages/sdk/tsconfig.json'])
  cpSync(join(root, name), join(place, name), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))

const program = join(place, 'tools/build-sdk.ts')
const build = async () => (await promisify(execFile)(process.execPath, [program])).stdout
const BUILT = 'Built packages/sdk/dist.\n'
/** What two builds at once print: one has built, and the other one has waited for it. */
const buildTwice = async () => (await Promise.all([build(), build()])).sort()
const dist = join(sdk, 'dist')
/** Which build this is: another one has another folder. */
const identityOf = async () => (await stat(dist)).ino
/** The names of the entries, read through one open folder, so that they are all of one build. Empty if there is none. */
async function contentOf(): Promise<string> {
  const names = await readdir(join(dist, 'esm')).catch(() => [])
  return names
    .filter((name) => !name.includes('-'))
    .sort()
    .join()
}
const left = () => readdirSync(sdk).filter((name) => name.startsWith('.dist'))

async function starts(): Promise<void> {
  const imports = ['index', 'webhooks', 'tokens', 'sessions', 'express', 'fetch'].map(
    (name) => `await import(${JSON.stringify(join(dist, 'esm', `${name}.js`))})`,
  )
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', imports.join('\n')])
}

test('two builds at once make one package, and leave nothing else', async () => {
  expect(await buildTwice()).toEqual(['', BUILT])
  expect(left()).toEqual(['.dist-stamp'])
  await starts()
})

test('a build without a change leaves the package alone, and one after a change replaces it as a whole', async () => {
  expect(await build()).toBe('')
  const [first, files] = [await identityOf(), await contentOf()]
  expect(await buildTwice()).toEqual(['', ''])
  expect(await identityOf()).toBe(first)
  appendFileSync(join(sdk, 'src/webhooks.ts'), 'export const added = 1\n')
  let isBuilding = true
  const builds = buildTwice().finally(() => {
    isBuilding = false
  })
  const seen = new Set<string>()
  while (isBuilding) seen.add(await contentOf())
  expect(await builds).toEqual(['', BUILT])
  expect(await identityOf()).not.toBe(first)
  // The old package, the new one, and between two renames perhaps none: never a part of one.
  expect([...seen].filter((content) => content !== '' && content !== files)).toEqual([])
  await starts()
})

test('a build that was killed does not stop the next one', async () => {
  appendFileSync(join(sdk, 'src/webhooks.ts'), 'export const more = 1\n')
  const killed: ChildProcess = spawn(process.execPath, [program], { stdio: 'ignore' })
  await until(async () => readdirSync(sdk).some((name) => name.startsWith('.dist-build-')))
  killed.kill('SIGKILL')
  await once(killed, 'close')
  expect(existsSync(join(sdk, '.dist-lock'))).toBe(true)
  expect(await build()).toBe(BUILT)
  expect(left()).toEqual(['.dist-stamp'])
  await starts()
})
