import { existsSync, readFileSync } from 'node:fs'

/** Sends a signal to a PostgreSQL server: first to the process that starts the others, then to all of these. */
export function signalServer(pid: number, signal: NodeJS.Signals): void {
  const before = childrenOf(pid)
  process.kill(pid, signal)
  // It may have started another one meanwhile. Those that ended with it are gone.
  for (const child of new Set([...before, ...childrenOf(pid)]))
    if (existsSync(`/proc/${child}`)) process.kill(child, signal)
}

/** The processes of the server, one for each connection among them. */
function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  const children = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  return children === '' ? [] : children.split(' ').map(Number)
}
