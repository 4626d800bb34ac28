import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

/** A server in a process of its own. */
export interface Server {
  baseUrl: string
  pid: number
  stop(): Promise<void>
}

/**
 * Runs a script that reads JSON from standard input and writes JSON to standard output. Throws when it fails.
 */
export async function runJob<T>(script: URL, input: unknown): Promise<T> {
  const child = spawn(process.execPath, [fileURLToPath(script)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  child.stdin.end(JSON.stringify(input))
  const output = await text(child.stdout)
  await exit
  if (child.exitCode !== 0) throw new Error(`${fileURLToPath(script)} ended with ${child.exitCode ?? child.signalCode}`)
  return JSON.parse(output)
}

/** Starts a script that listens on 127.0.0.1 and writes its port as the first line. */
export async function startServer(script: URL, env: Record<string, string> = {}): Promise<Server> {
  const child = spawn(process.execPath, [fileURLToPath(script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => [])])
  const port = Number(first[0])
  if (!port || !child.pid) throw new Error(`${fileURLToPath(script)} did not start`)
  return { baseUrl: `http://127.0.0.1:${port}`, pid: child.pid, stop: () => stopChild(child) }
}

/** Asks a child to end and waits for it; ends it by force after ten seconds. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await exit
  clearTimeout(force)
}
