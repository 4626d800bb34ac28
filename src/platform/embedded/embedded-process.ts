import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from './embedded-error.ts'

/** The unprivileged user PostgreSQL runs as when this process is root. */
export interface RunAs {
  name: string
  uid: number
  gid: number
}

/** PostgreSQL gets none of our environment: it may contain keys, and a superuser could read it through /proc. */
export const serverEnvironment = process.platform === 'win32' ? {} : { env: { LC_ALL: 'C', TZ: 'UTC' } }

/** Spawn options that drop root. macOS has negative user ids, which spawn expects as signed numbers. */
export function spawnIdentity(user: RunAs | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid | 0, gid: user.gid | 0 } : {}
}

/** Runs a program to its end. Rejects when it cannot be started. Returns its exit code and stderr. */
export function runProgram(
  file: string,
  args: string[],
  options: { user: RunAs | undefined; cwd: string },
): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve, reject) => {
    const { user, cwd } = options
    const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe']
    const child = spawn(file, args, { cwd, stdio, ...serverEnvironment, ...spawnIdentity(user) })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stderr }))
  })
}

/** Whether a process with this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/**
 * Whether `pid` is a PostgreSQL server of `cluster`. After a reboot or a container restart the number may belong to
 * another process, or to an unreaped zombie, and PostgreSQL itself would mistake either for the old server.
 */
export function isPostmaster(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false
  if (process.platform === 'win32') return true
  const command = existsSync('/proc/self/cmdline') ? readCommandLine(pid) : askCommandLine(pid)
  return command === undefined || command.includes(cluster)
}

/** @returns undefined when the command line may not be read (hidepid), and empty text for a zombie. */
function readCommandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch (error) {
    return errorCode(error) === 'EACCES' ? undefined : ''
  }
}

function askCommandLine(pid: number): string | undefined {
  const { status, stdout } = spawnSync('/bin/ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return status === 0 ? stdout : ''
}

/** A name for an unfinished file: it lets a later start check whether its creator is still alive. */
export function temporaryName(prefix: string): string {
  return `${prefix}.new-${process.pid}-${Math.round(performance.timeOrigin)}-${randomBytes(4).toString('hex')}`
}

/** Removes unfinished files in `directory`, named by `temporaryName(prefix)`, whose creators were killed. */
export async function removeLeftovers(directory: string, prefix: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    const [, pid, bornAt] = name.startsWith(`${prefix}.new-`) ? (/\.new-(\d+)-(\d+)-/.exec(name) ?? []) : []
    if (!pid) continue
    // In a container a restarted service may have the process id of its predecessor.
    const isOurs = Number(pid) === process.pid && Number(bornAt) === Math.round(performance.timeOrigin)
    const isAnothers = Number(pid) !== process.pid && isAlive(Number(pid))
    if (!isOurs && !isAnothers) await rm(join(directory, name), { recursive: true, force: true })
  }
}
