import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readErrorField } from '../src/platform/errors.ts'

// A run that is interrupted runs no teardown. What it leaves, a database in memory and its server, is removed as its process
// exits, and where that was killed, by the next run.

const NAME = /^watchword-test-(\d+)$/

/** A directory of this run, with nothing in it yet; those of runs that are gone are removed beside it. */
export function runDirectory(place: string): string {
  for (const name of existsSync(place) ? readdirSync(place) : []) {
    const pid = Number(NAME.exec(name)?.[1] ?? process.pid)
    if (!isAlive(pid)) removeRunDirectory(join(place, name))
  }
  const directory = join(place, `watchword-test-${process.pid}`)
  // Shared process: removes files when the process of the run exits. That process runs no tests.
  process.once('exit', () => removeRunDirectory(directory))
  return directory
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return readErrorField(error, 'code') === 'EPERM'
  }
}

function removeRunDirectory(directory: string): void {
  const pid = databasePid(join(directory, 'data'))
  if (pid !== null) process.kill(pid, 'SIGKILL')
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}

/** The process of the embedded database, or null when none runs. */
export function databasePid(dataDir: string): number | null {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0
  // A zombie has no command line, and another process may have the number by now.
  const command = pid > 0 && existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''
  return command.includes(join(dataDir, 'postgres')) ? pid : null
}
