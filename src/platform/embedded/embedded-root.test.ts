import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openEmbedded, query, readServerPid } from '../../../test/embedded.ts'
import { copyProject, unprivileged } from '../../../test/peers/embedded-peer.ts'
import { locateBinaries, reachBinaries } from './binaries.ts'
import { openHome, spawnOptions } from './home.ts'
import { readLock } from './server.ts'

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
    expect(peer.error).toBeUndefined()
  })

  test('says that the owner of the data directory has no name, which PostgreSQL needs', async () => {
    const dataDir = makeDataDir()
    mkdirSync(dataDir)
    chownSync(dataDir, 1_234_567, 1_234_567)
    expect(await failStart(dataDir)).toMatch(
      /^PostgreSQL could not be set up in .*could not look up effective user ID 1234567: user does not exist$/,
    )
    expect(readdirSync(dataDir)).toEqual([])
  })

  test('keeps the data elsewhere when that user cannot reach it, and says so', async () => {
    const dataDir = makeDataDir()
    chmodSync(join(dataDir, '..'), 0o700)
    const database = await start(dataDir)
    const [notice = ''] = database.lines
    const home = /: its data is in (\/var\/lib\/watchword\/[0-9a-f]{16})$/.exec(notice)?.[1] ?? ''
    stops.unshift(() => rmSync(home, { recursive: true }))
    killAfterTest(home)
    expect(notice).toContain(`, who cannot enter ${dataDir}: `)
    await query(database, 'create table kept as select 42 as answer')
    await database.stop()

    chmodSync(join(dataDir, '..'), 0o755)
    const again = await start(dataDir)
    expect(await query(again, 'select answer from kept')).toEqual([[42]])
    await again.stop()

    // Without the directory, the next start creates a new database.
    rmSync(dataDir, { recursive: true })
    const anew = await start(dataDir)
    expect(await query(anew, `select to_regclass('kept') is null`)).toEqual([[true]])
    await anew.stop()

    // An id that root did not write is ignored.
    rmSync(dataDir, { recursive: true })
    mkdirSync(dataDir, { mode: 0o755 })
    const planted = join(dataDir, 'database-id')
    writeFileSync(planted, basename(home))
    chownSync(planted, unprivileged, unprivileged)
    expect(await query(await start(dataDir), `select to_regclass('kept') is null`)).toEqual([[true]])
  })

  test('runs a copy of binaries that the user cannot reach', async () => {
    const dataDir = makeDataDir()
    const shared = join(dataDir, '..', 'shared')
    const closed = join(dataDir, '..', 'closed')
    const binaries = locateBinaries()
    const given = { ...binaries, directory: join(closed, 'native') }
    cpSync(binaries.directory, given.directory, { recursive: true, verbatimSymlinks: true })
    chmodSync(closed, 0o700)
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    const home = openHome(dataDir, log)
    const reached = await reachBinaries(given, home, log, shared)
    expect(await reachBinaries(given, home, log, shared)).toEqual(reached)
    expect(lines).toEqual([
      expect.stringContaining(`cannot enter ${given.directory}: a copy runs from ${reached.directory}`),
    ])
    const program = join(reached.directory, 'bin', 'initdb')
    expect(execFileSync(program, ['--version'], { ...spawnOptions(home.user, shared), encoding: 'utf8' })).toMatch(
      /^initdb \(PostgreSQL\) 18/,
    )
    expect(readdirSync(shared)).toHaveLength(1)
  })

  test('starts in a path with spaces below a directory that only root may enter', async () => {
    const dataDir = makeDataDir()
    const closed = join(dataDir, '..', 'only for root')
    mkdirSync(closed)
    chmodSync(closed, 0o700)
    const from = copyProject(closed)
    // The ownership that git and npm leave when run as root.
    execFileSync('chown', ['-R', '0:0', closed])
    chmodSync(closed, 0o700)
    const peer = await startPeer(join(closed, 'data'), { from })
    expect(peer.error).toBeUndefined()
    const home = dirname(new URL(peer.url).searchParams.get('host') ?? '')
    stops.unshift(() => rmSync(home, { recursive: true }))
    killAfterTest(home)
    expect(await query(peer, 'select 1')).toEqual([[1]])
    const pid = readServerPid(home)
    expect(statSync(`/proc/${pid}`).uid).not.toBe(0)
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toMatch(/^\/var\/lib\/watchword\/postgresql-18/)
    peer.child.send('stop')
    await once(peer.child, 'exit')
  })

  test('keeps the data in an empty directory of root that was closed, such as a volume', async () => {
    const dataDir = makeDataDir()
    mkdirSync(dataDir, { mode: 0o700 })
    const database = await start(dataDir)
    expect(new URL(database.url).searchParams.get('host')).toBe(join(dataDir, 'socket'))
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])
  })

  test('gives data that root has copied to the user of PostgreSQL', async () => {
    const dataDir = makeDataDir()
    const first = await start(dataDir)
    await query(first, 'create table kept as select 42 as answer')
    await first.stop()
    execFileSync('chown', ['-R', '0:0', dataDir])
    expect(await query(await start(dataDir), 'select answer from kept')).toEqual([[42]])
  })

  test.each([
    ['of another user', 12_345, 0o700],
    ['open to others', unprivileged, 0o755],
  ])('sends the password to no socket in a directory %s', async (_, owner, mode) => {
    const dataDir = join(makeDataDir(), 'long'.repeat(25))
    mkdirSync(dataDir, { recursive: true })
    chownSync(dataDir, unprivileged, unprivileged)
    const service = await start(dataDir)
    const directory = new URL(service.url).searchParams.get('host') ?? ''
    stops.push(() => rmSync(directory, { recursive: true, force: true }))
    expect((await start(dataDir, 'command')).url).toBe(service.url)
    // A clean-up of the temporary directory removes the socket directory, and another user creates it again.
    rmSync(directory, { recursive: true })
    mkdirSync(directory)
    chownSync(directory, owner, owner)
    chmodSync(directory, mode)
    expect(await failStart(dataDir, 'command')).toBe(
      `${directory}, the directory for PostgreSQL's socket, belongs to another user or is open to others: remove it and start again.`,
    )
  })

  test('reads no file that a link in the cluster leads to', async () => {
    const dataDir = makeDataDir()
    const database = await start(dataDir)
    await database.stop()
    const cluster = join(dataDir, 'postgres')
    const ofRoot = join(dataDir, '..', 'of-root')

    const password = join(cluster, 'watchword.password')
    const written = readFileSync(password)
    rmSync(password)
    writeFileSync(ofRoot, randomBytes(24).toString('base64url'), { mode: 0o600 })
    symlinkSync(ofRoot, password)
    expect(await failStart(dataDir)).toContain(
      `could not start (ELOOP: too many symbolic links encountered, open '${password}')`,
    )
    rmSync(password)
    writeFileSync(password, 'the words of root')
    expect(await failStart(dataDir)).toBe(
      `${password} is not the password file of this database: restore it from a backup and start again.`,
    )
    writeFileSync(password, written)

    writeFileSync(ofRoot, '1\n\n\n5432\nthe words of root')
    const lock = join(cluster, 'postmaster.pid')
    symlinkSync(ofRoot, lock)
    expect(readLock(openHome(dataDir, () => undefined)).socketDirectory).toBe('')
    rmSync(lock)
    const version = join(cluster, 'PG_VERSION')
    renameSync(version, `${version}.kept`)
    symlinkSync(ofRoot, version)
    expect(await failStart(dataDir)).toContain(`open '${version}'`)
    renameSync(`${version}.kept`, version)
    expect(await query(await start(dataDir), 'select 1')).toEqual([[1]])
  })

  test.each([
    ['hard', linkSync],
    ['symbolic', symlinkSync],
  ])('writes no log into the file of root that a %s link leads to', async (_, link) => {
    const dataDir = makeDataDir()
    mkdirSync(dataDir)
    chownSync(dataDir, unprivileged, unprivileged)
    const ofRoot = join(dataDir, '..', 'of-root')
    writeFileSync(ofRoot, 'the words of root', { mode: 0o600 })
    link(ofRoot, join(dataDir, 'postgres.log'))
    await start(dataDir)
    expect([readFileSync(ofRoot, 'utf8'), statSync(ofRoot).uid]).toEqual(['the words of root', 0])
    expect(statSync(join(dataDir, 'postgres.log')).uid).toBe(unprivileged)
  })

  test('says that a directory is not writable', async () => {
    const dataDir = makeDataDir()
    expect((await startPeer(dataDir, { uid: unprivileged })).error).toMatch(
      /could not start \(EACCES: permission denied, mkdir .*\): correct that, or set WATCHWORD_DATA_DIR/,
    )
  })
})
