import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readErrorField } from '../../src/platform/errors.ts'
import { until } from '../harness.ts'
import { afterThisTest, makeDirectory } from '../process/service.ts'
import { breakFor, noteReads, type Scenario } from './stage.ts'

const SIZE = '300m'

/** A disk in memory for the data of PostgreSQL, which another file fills. It has room for its log (WAL), which is reused. */
export const fullDisk: Scenario = disk()

function disk(): Scenario {
  let ballast = ''
  return {
    name: 'full-disk',
    about: 'the disk of the database is full for 6 s',
    async prepare() {
      const directory = join(makeDirectory(), 'disk')
      mkdirSync(directory)
      if (!isDone('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=755`, 'none', directory]))
        return { unfit: 'it needs the right to mount' }
      // The last processes of a killed server take a moment to end.
      afterThisTest(() => until(async () => isDone('umount', [directory])))
      ballast = join(directory, 'ballast')
      return { cluster: { directory, settings: ['max_wal_size=64MB', 'min_wal_size=64MB'] } }
    },
    async run(stage) {
      await breakFor(stage, 0, {
        async begin() {
          // What the server frees meanwhile is filled again.
          for (let round = 0; round < 60; round++) {
            fill(ballast)
            await delay(100)
          }
        },
        async end() {
          const wasRunning = stage.primary.isRunning()
          stage.notes.push(wasRunning ? 'PostgreSQL kept running' : 'PostgreSQL ended; it was started again')
          rmSync(ballast)
          if (!wasRunning) await stage.primary.start()
        },
      })
      noteReads(stage)
    },
  }
}

function isDone(program: string, args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

function fill(file: string): void {
  const descriptor = openSync(file, 'a')
  try {
    for (const size of [1 << 20, 1 << 12])
      try {
        for (;;) writeSync(descriptor, Buffer.alloc(size))
      } catch (error) {
        if (readErrorField(error, 'code') !== 'ENOSPC') throw error
      }
  } finally {
    closeSync(descriptor)
  }
}
