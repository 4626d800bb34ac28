import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openEmbedded, query, readServerPid } from '../../../test/embedded.ts'
import { unprivileged } from '../../../test/peers/embedded-peer.ts'
import { locateBinaries, reachBinaries } from './embedded-binaries.ts'
import { runProgram } from './embedded-process.ts'

const { stops, killAfterTest, makeDataDir, useSharedDataDir, start, failStart, startPeer } = openEmbedded()

describe.runIf(process.getuid?.() === 0)('as root', () => {
  test('runs the server as an unprivileged user and keeps the directory to itself', async () => {
    const dataDir = useSharedDataDir()
    await start(dataDir)
    const { uid } = statSync(`/proc/${readServerPid(dataDir)}`)
    expect(uid).not.toBe(0)
    expect([statSync(dataDir).uid, statSync(join(dataDir, 'postgres')).uid]).toEqual([0, uid])
  })

  test('runs the server as the owner of the data directory', async () => {
    const dataDir = makeDataDir()
    mkdirSync(dataDir)
    chownSync(dataDir, unprivileged, unprivileged)
    const database = await start(dataDir)
    expect(statSync(`/proc/${readServerPid(dataDir)}`).uid).toBe(unprivileged)
    await database.stop()
    const peer = await startPeer(dataDir, { uid: unprivileged })
    expect([peer.error, peer.owned]).toEqual([undefined, true])
  })

  test('says that the owner of the data directory has no name, which PostgreSQL needs', async () => {
    const dataDir = makeDataDir()
    mkdirSync(dataDir)
    chownSync(dataDir, 1_234_567, 1_234_567)
    expect(await failStart(dataDir)).toBe(
      `PostgreSQL cannot be set up in ${dataDir} by a user id without a name (1234567): add it to /etc/passwd, run as another user, or set DATABASE_URL.`,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('keeps the data elsewhere when that user cannot reach it, and says so', async () => {
    const dataDir = makeDataDir()
    chmodSync(join(dataDir, '..'), 0o700)
    const database = await start(dataDir)
    const [notice = ''] = database.lines
    const home = /is in (\/var\/lib\/watchword\/[0-9a-f]{16})$/.exec(notice)?.[1] ?? ''
    stops.unshift(() => rmSync(home, { recursive: true }))
    killAfterTest(home)
    expect(notice).toContain(`cannot enter ${join(dataDir, '..')}, so the data of ${dataDir} is in ${home}`)
    await query(database, 'create table kept as select 42 as answer')
    await database.stop()

    chmodSync(join(dataDir, '..'), 0o755)
    const again = await start(dataDir)
    expect(await query(again, 'select answer from kept')).toEqual([[42]])
    await again.stop()

    // Whoever removes the directory begins anew, although the data lay elsewhere.
    rmSync(dataDir, { recursive: true })
    const anew = await start(dataDir)
    expect(await query(anew, `select to_regclass('kept') is null`)).toEqual([[true]])
    await anew.stop()

    // Nobody but root says where root looks for the data.
    const planted = join(dataDir, 'database-id')
    writeFileSync(planted, basename(home))
    chownSync(planted, unprivileged, unprivileged)
    expect(await query(await start(dataDir), `select to_regclass('kept') is null`)).toEqual([[true]])
  })

  test('runs a copy of binaries that user cannot reach', async () => {
    const shared = join(makeDataDir(), 'shared')
    const closed = join(shared, '..', '..', 'closed')
    const binaries = locateBinaries()
    const given = { ...binaries, directory: join(closed, 'native') }
    cpSync(binaries.directory, given.directory, { recursive: true, verbatimSymlinks: true })
    chmodSync(closed, 0o700)
    const user = { name: 'somebody', uid: unprivileged, gid: unprivileged }
    const first = await reachBinaries(given, user, shared)
    expect(first.closed).toBe(closed)
    expect(await reachBinaries(given, user, shared)).toEqual(first)
    const program = join(first.binaries.directory, 'bin', 'initdb')
    expect(await runProgram(program, ['--version'], { user, cwd: shared })).toEqual({ code: 0, stderr: '' })
    expect(readdirSync(shared)).toHaveLength(1)
  })

  test('says that a directory is not writable', async () => {
    const dataDir = makeDataDir()
    expect((await startPeer(dataDir, { uid: unprivileged })).error).toMatch(
      /^The data directory .* is not writable for this user \(EACCES.*: change its owner, or set/,
    )
  })
})
