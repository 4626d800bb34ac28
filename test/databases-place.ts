import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
const ENOUGH = 4 * 2 ** 30

/**
 * The directory for the databases of tests: in memory where there is plenty, for that makes one in a twentieth of the
 * time, which each file of tests does; else the temporary one. Programs go to the latter: none may run from memory.
 */
export function databasesPlace(): string {
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory() / 2) >= ENOUGH ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
