import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
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

test('the image has all files that the service loads', () => {
  const read = (name: string) => readFileSync(`${root}${name}`, 'utf8').split('\n')
  const copied = read('Dockerfile').flatMap((line) => /^COPY (.+) \S+$/.exec(line)?.[1]?.split(' ') ?? [])
  const [everything, ...sent] = read('.dockerignore').filter((line) => line === '*' || line.startsWith('!'))
  expect([everything, sent.sort()]).toEqual(['*', copied.map((path) => `!${path}`).sort()])
  const image = makeDirectory()
  // Docker leaves out what `.dockerignore` names after these.
  const isSent = (path: string) => !/\.test\.ts$|\/sample\.ts$/.test(path)
  for (const path of copied) cpSync(`${root}${path}`, join(image, path), { recursive: true, filter: isSent })
  symlinkSync(`${root}node_modules`, join(image, 'node_modules'))
  const program = "await import('./src/wiring/app.ts'); await import('./src/main.js')"
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: image,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production' },
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^WATCHWORD_BASE_URL is missing: [^\n]+\n$/)])
})

// Prints the options of the process that ends.
// Shared process: the text of a program that runs in a process of its own.
const OPTIONS = 'data:text/javascript,process.on("exit",()=>console.log(process.pid,process.execArgv.join()))'

test.each<[string, string[], Record<string, string>, string[]]>([
  ['the service', [], {}, ['--max-semi-space-size=8']],
  ['the command line', ['--max-semi-space-size=16'], {}, ['--max-semi-space-size=16']],
  ['NODE_OPTIONS', [], { NODE_OPTIONS: '--max-semi-space-size=16' }, []],
])('%s sets the limit of short-lived objects, with one pid', (_, args, env, expected) => {
  const { pid, stdout } = spawnSync(process.execPath, [...args, '--import', OPTIONS, `${root}src/main.js`], {
    cwd: makeDirectory(),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...env },
  })
  expect(stdout).toBe(`${pid} ${[...expected, '--import', OPTIONS].join()}\n`)
})

test('a process with a channel to its parent keeps the channel', async () => {
  // Shared process: the text of a program that runs in a process of its own.
  const report = 'data:text/javascript,process.on("exit",()=>process.send(process.execArgv.length))'
  const child = fork(`${root}src/main.js`, {
    cwd: makeDirectory(),
    execArgv: ['--import', report],
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production' },
    silent: true,
  })
  const [[options]] = await Promise.all([once(child, 'message'), once(child, 'exit')])
  expect(options).toBe(2)
})

test.each(['main.js', 'watchword.js'])('an older Node is refused in one line: %s', (program) => {
  const older =
    'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.1"}})'
  const started = spawnSync(process.execPath, ['--import', older, `${root}src/${program}`], { encoding: 'utf8' })
  expect([started.status, started.stdout, started.stderr]).toEqual([
    1,
    '',
    'Watchword needs Node 24 or later, and this is 20.19.1: install Node 24. In a clone, `npm start` brings its own.\n',
  ])
})
