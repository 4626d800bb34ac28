import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { makeDirectory } from './service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// Prints the modules of Node itself that were loaded.
// Shared process: the text of a program that runs in a process of its own.
const REPORT = 'data:text/javascript,process.on("exit",()=>console.log(process.moduleLoadList.join("\\n")))'

/** Starts without settings, which is refused once the service's own modules are loaded. */
function modulesOfStart(): string {
  const { status, stdout } = spawnSync(process.execPath, ['--import', REPORT, `${root}src/main.js`], {
    cwd: makeDirectory(),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production' },
  })
  expect(status).toBe(1)
  return stdout
}

test('a start loads no compiler of TypeScript once the cache is filled', () => {
  expect(modulesOfStart()).toContain('NativeModule internal/modules/typescript')
  expect(modulesOfStart()).not.toContain('amaro')
})

test('the image starts the service as npm does', () => {
  const command = /^CMD (\[.*\])$/m.exec(readFileSync(`${root}Dockerfile`, 'utf8'))?.[1] ?? ''
  expect(JSON.parse(command).join(' ')).toBe(manifest.scripts.start)
})

test('an older Node is refused in one line', () => {
  const older =
    'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.1"}})'
  const started = spawnSync(process.execPath, ['--import', older, `${root}src/main.js`], { encoding: 'utf8' })
  expect([started.status, started.stdout, started.stderr]).toEqual([
    1,
    '',
    'Watchword needs Node 24 or later, and this is 20.19.1: run `npm start`, which brings its own.\n',
  ])
})
