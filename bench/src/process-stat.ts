import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

// Linux counts CPU time in hundredths of a second (proc(5)).
const TICKS_PER_SECOND = 100

/** CPU time of a process in all its threads, in seconds. Throws if there is no such process. */
export function cpuSecondsOf(pid: number): number {
  const [user = 0, system = 0] = readFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    .slice(11, 13)
    .map(Number)
  return (user + system) / TICKS_PER_SECOND
}

/** Resident memory of a process and its descendants, in MiB. */
export async function residentMibOf(pid: number): Promise<number> {
  const parents = new Map<number, number>()
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    parents.set(Number(entry), Number(readFields(stat)[1]))
  }
  const isInTree = (one: number): boolean => {
    for (let at: number | undefined = one; at !== undefined && at > 1; at = parents.get(at)) if (at === pid) return true
    return false
  }
  let kib = 0
  for (const one of [...parents.keys()].filter(isInTree)) {
    const status = await readFile(`/proc/${one}/status`, 'utf8').catch(() => '')
    kib += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
  }
  return kib / 1024
}

/** The fields of a stat file from the state on. The command name before it may hold spaces and parentheses. */
function readFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}
