import type { TestApp } from '../harness.ts'
import { runFile } from './service.ts'

export interface CliResult {
  code: number | string
  stdout: string
  stderr: string
  /** What `--json` printed. */
  // biome-ignore lint/suspicious/noExplicitAny: read field by field by assertions
  json: any
}

/** Runs the command line to its end. */
export async function runCommand(env: Record<string, string>, ...args: string[]): Promise<CliResult> {
  const running = runFile('cli.ts', args, env)
  const code = await running.ended
  const [stdout, stderr] = [running.stdout(), running.stderr()]
  return { code, stdout, stderr, json: args.includes('--json') && stdout ? JSON.parse(stdout) : null }
}

/** Settings under which the command line works on the deployment of a test. */
export function settingsOf(app: TestApp): Record<string, string> {
  return { DATABASE_URL: app.databaseUrl, WATCHWORD_MASTER_KEY: app.masterKeyText }
}
