import type { ChildProcess } from 'node:child_process'
import type { TestApp } from '../harness.ts'
import { spawnProgram } from '../programs.ts'
import type { CliAnswer, CliRequest } from './cli-host.ts'

export interface CliResult {
  code: number | string
  stdout: string
  stderr: string
  /** What `--json` printed. */
  // biome-ignore lint/suspicious/noExplicitAny: read field by field by assertions
  json: any
}

/** Shared by the files of a process, with which it ends. */
let host: ChildProcess | null = null
let count = 0

/** Those under way, by the settings that they run under: a process has one environment at a time. */
let underWay: { settings: string; ended: Promise<unknown> } = { settings: '', ended: Promise.resolve() }

/** Runs the command line to its end, in a process that has loaded it. `runFile` of service.ts starts it for one. */
export async function runCommand(env: Record<string, string>, ...args: string[]): Promise<CliResult> {
  const settings = JSON.stringify(env)
  while (underWay.settings !== settings) {
    const { ended } = underWay
    await ended
    if (underWay.ended === ended) underWay = { settings, ended: Promise.resolve() }
  }
  const asked = ask({ id: ++count, env: { PATH: process.env['PATH'] ?? '', ...env }, args })
  underWay = { settings, ended: Promise.all([underWay.ended, asked]) }
  const { code, stdout, stderr } = await asked
  return { code, stdout, stderr, json: args.includes('--json') && stdout ? JSON.parse(stdout) : null }
}

const pending = new Map<number, { resolve: (answer: CliAnswer) => void; reject: (error: Error) => void }>()

function ask(request: CliRequest): Promise<CliAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CliAnswer>()
  pending.set(request.id, { resolve, reject })
  host ??= startHost()
  host.send(request)
  return promise
}

function startHost(): ChildProcess {
  // Where no .env is. It ends with the channel to this process.
  const child = spawnProgram('cli-host.ts', [], {
    cwd: '/',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: process.env,
  })
  child.unref()
  child.channel?.unref()
  child.on('message', (answer: CliAnswer) => {
    pending.get(answer.id)?.resolve(answer)
    pending.delete(answer.id)
  })
  child.on('exit', () => {
    host = null
    for (const { reject } of pending.values()) reject(new Error('The process of the command line ended.'))
    pending.clear()
  })
  return child
}

/** Settings under which the command line works on the deployment of a test. */
export function settingsOf(app: TestApp): Record<string, string> {
  return { DATABASE_URL: app.databaseUrl, WATCHWORD_MASTER_KEY: app.masterKeyText }
}
