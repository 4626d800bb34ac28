import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeDirectory, openEmbedded, query, readServerPid } from '../../../test/embedded.ts'
import { locateBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { openHome } from './home.ts'

const { stops, killAfterTest, makeDataDir, useSharedDataDir, start, failStart } = openEmbedded()

describe('faults', () => {
  test('refuses data of another major version', async () => {
    const dataDir = makeDataDir()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '16\n')
    expect(await failStart(dataDir)).toBe(
      `The data in ${dataDir}/postgres is of PostgreSQL 16, but the embedded PostgreSQL is 18: dump it (pg_dump) with PostgreSQL 16, move the directory away, start again and restore the dump; or set DATABASE_URL to a PostgreSQL 16.`,
    )
    expect(readdirSync(dataDir)).toEqual(['postgres'])
  })

  test('refuses a directory with other files, and leaves them as they are', async () => {
    const dataDir = makeDataDir()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'notes'), 'mine')
    expect(await failStart(dataDir)).toMatch(/could not start \(ENOTEMPTY: directory not empty, rename .*postgres'\): /)
    expect(readdirSync(dataDir)).toEqual(['postgres'])
    expect(readFileSync(join(dataDir, 'postgres', 'notes'), 'utf8')).toBe('mine')
  })

  test('refuses a place that is a file, or below one', async () => {
    const file = makeDataDir()
    writeFileSync(file, 'mine')
    expect(await failStart(file)).toContain('EEXIST: file already exists')
    expect(await failStart(join(file, 'data'))).toContain('ENOTDIR: not a directory')
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('shows the last lines of a server that does not start, and leaves none behind', async () => {
    const dataDir = useSharedDataDir()
    await (await start(dataDir)).stop()
    const file = join(dataDir, 'postgres', 'postgresql.conf')
    const settings = readFileSync(file, 'utf8')
    stops.push(() => writeFileSync(file, settings))
    writeFileSync(file, `${settings}\nshared_buffers = 'plenty'\n`)
    expect(await failStart(dataDir)).toMatch(/did not start .*postgres\.log ends with: .*shared_buffers/)
    expect(readServerPid(dataDir)).toBeUndefined()
  })

  test('says that the disk is full when PostgreSQL finds it so, and starts once there is room', async () => {
    const dataDir = useSharedDataDir()
    await (await start(dataDir)).stop()
    // PostgreSQL writes this file at each start. As a link to a device that is always full, it simulates a full disk.
    const file = join(dataDir, 'postgres', 'postmaster.opts')
    stops.push(() => rmSync(file, { force: true }))
    rmSync(file)
    symlinkSync('/dev/full', file)
    expect(await failStart(dataDir)).toMatch(/postgres\.log ends with: .*No space left on device/)
    expect(readServerPid(dataDir)).toBeUndefined()
    rmSync(file)
    expect(await query(await start(dataDir), 'select 1')).toEqual([[1]])
  })

  test('says that the disk is full when initdb finds it so, and leaves nothing', async () => {
    const dataDir = makeDataDir()
    const directory = join(dirname(dataDir), 'native')
    mkdirSync(join(directory, 'bin'), { recursive: true })
    writeFileSync(join(directory, 'bin', 'initdb'), '#!/bin/sh\nexec cat "$0" > /dev/full\n', { mode: 0o755 })
    const log = () => undefined
    const prepared = prepareCluster(openHome(dataDir, log), { ...locateBinaries(), directory }, log)
    await expect(prepared).rejects.toThrow(
      new RegExp(`^PostgreSQL could not be set up in ${dataDir}: .*No space left on device$`),
    )
    expect(readdirSync(dataDir)).toEqual([])
    expect(await query(await start(dataDir), 'select 1')).toEqual([[1]])
  })
})

describe.runIf(canMount())('on a small disk', () => {
  test('says that the disk is full, and starts once there is room', async () => {
    const dataDir = makeDataDir()
    const disk = join(dataDir, '..', 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=755', 'none', disk])
    stops.push(() => void execFileSync('umount', [disk]))
    killAfterTest(join(disk, 'data'))
    expect(await failStart(join(disk, 'data'))).toContain('No space left on device')
    expect(readdirSync(join(disk, 'data'))).toEqual([])
    execFileSync('mount', ['-o', 'remount,size=100m', disk])
    await (await start(join(disk, 'data'))).stop()
    const ballast = join(disk, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(100 * 1024 * 1024))).toThrow('ENOSPC')
    expect(await failStart(join(disk, 'data'))).toMatch(/No space left on device|full disk/)
    rmSync(ballast)
    expect(await query(await start(join(disk, 'data')), 'select 1')).toEqual([[1]])
  })
})

function canMount(): boolean {
  const disk = dirname(makeDirectory())
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', disk], { stdio: 'ignore' })
    execFileSync('umount', [disk])
    return true
  } catch {
    return false
  } finally {
    rmSync(disk, { recursive: true })
  }
}
