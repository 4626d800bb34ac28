import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { diskFull, makeDirectory, openEmbedded, query, readServerPid } from '../../../test/embedded.ts'
import { locateBinaries, repairLibraryLinks } from './embedded-binaries.ts'
import { prepareCluster } from './embedded-cluster.ts'
import { openHome } from './embedded-home.ts'

const { stops, killAfterTest, makeDataDir, useSharedDataDir, start, failStart } = openEmbedded()

describe('faults', () => {
  test('refuses data of another major version', async () => {
    const dataDir = makeDataDir()
    mkdirSync(join(dataDir, 'postgres'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '16\n')
    expect(await failStart(dataDir)).toBe(
      `The data in ${dataDir}/postgres is of PostgreSQL 16, but the embedded PostgreSQL is 18: dump it (pg_dump) with PostgreSQL 16, move the directory away, start again and restore the dump; or set DATABASE_URL to a PostgreSQL 16.`,
    )
    expect(await failStart(join(dataDir, 'postgres'))).toContain('is of PostgreSQL 16')
    expect(readdirSync(dataDir)).toEqual(['postgres'])
  })

  test('refuses a place that is a file, or below one', async () => {
    const file = makeDataDir()
    writeFileSync(file, 'mine')
    for (const path of [file, join(file, 'data')]) expect(await failStart(path)).toContain('is a file')
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })

  test('shows the last words of a server that does not start, and leaves none behind', async () => {
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
    // Written at each start; on a device that is always full it gets the answer of a full disk.
    const file = join(dataDir, 'postgres', 'postmaster.opts')
    stops.push(() => rmSync(file, { force: true }))
    rmSync(file)
    symlinkSync('/dev/full', file)
    expect(await failStart(dataDir)).toBe(diskFull(dataDir))
    expect(readServerPid(dataDir)).toBeUndefined()
    rmSync(file)
    expect(await query(await start(dataDir), 'select 1')).toEqual([[1]])
  })

  test('says that the disk is full when initdb finds it so, and leaves nothing', async () => {
    const dataDir = makeDataDir()
    const directory = join(dirname(dataDir), 'native')
    mkdirSync(join(directory, 'bin'), { recursive: true })
    writeFileSync(join(directory, 'bin', 'initdb'), '#!/bin/sh\nexec cat "$0" > /dev/full\n', { mode: 0o755 })
    const binaries = { ...locateBinaries(), directory }
    const home = openHome(dataDir, join(dirname(dataDir), 'shared'))
    await expect(prepareCluster(home, binaries, () => undefined)).rejects.toThrow(diskFull(dataDir))
    expect(readdirSync(dataDir)).toEqual([])
    const database = await start(dataDir)
    expect(await query(database, 'select 1')).toEqual([[1]])
  })

  test('makes the links of the libraries that npm leaves out', () => {
    const directory = join(makeDataDir(), 'native')
    mkdirSync(join(directory, 'lib'), { recursive: true })
    writeFileSync(join(directory, 'lib', 'libpq.so.5.18'), 'library')
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
    writeFileSync(join(directory, 'pg-symlinks.json'), JSON.stringify(links))
    for (const _ of ['first start', 'second start']) repairLibraryLinks(directory)
    expect(readlinkSync(join(directory, 'lib', 'libpq.so.5'))).toBe('libpq.so.5.18')
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
    const full = diskFull(join(disk, 'data'))
    expect(await failStart(join(disk, 'data'))).toBe(full)
    expect(readdirSync(join(disk, 'data'))).toEqual([])
    execFileSync('mount', ['-o', 'remount,size=100m', disk])
    await (await start(join(disk, 'data'))).stop()
    const ballast = join(disk, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(100 * 1024 * 1024))).toThrow('ENOSPC')
    expect(await failStart(join(disk, 'data'))).toBe(full)
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
