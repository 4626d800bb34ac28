import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually, isServer, openEmbedded, query, readServerPid } from '../../../test/embedded.ts'
import { killPeer } from '../../../test/peers/embedded-peer.ts'

const { stops, makeDataDir, useSharedDataDir, start, failStart, startPeer } = openEmbedded()

describe('start and stop', () => {
  test('makes a durable database reachable by socket alone, and keeps it', async () => {
    const dataDir = useSharedDataDir()
    const database = await start(dataDir)
    const pid = readServerPid(dataDir) ?? 0
    expect(database.owned).toBe(true)
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'listen_addresses', 'TimeZone']
    const wanted = ['on', 'on', 'on', 'on', '', 'UTC']
    const settings = names.map((name) => `current_setting('${name}')`).join(', ')
    expect(await query(database, `select ${settings}`)).toEqual([wanted])
    expect(
      await query(
        database,
        `select current_user, pg_encoding_to_char(encoding), datlocale from pg_database where datname = current_database()`,
      ),
    ).toEqual([['watchword', 'UTF8', 'C.UTF-8']])
    await query(database, 'create table if not exists kept as select 42 as answer')
    await database.stop()
    await database.stop()
    expect(isServer(pid)).toBe(false)
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])

    const again = await start(dataDir)
    expect(again.lines).toEqual([`Starting the embedded PostgreSQL 18 in ${dataDir}`])
    expect(await query(again, 'select answer from kept')).toEqual([[42]])
  })

  test('asks every local connection for the password', async () => {
    const database = await start(useSharedDataDir())
    const url = database.url.replace(/:[^:@]+@/, ':wrong@')
    await expect(query({ url }, 'select 1')).rejects.toThrow('password authentication failed')
  })

  test('keeps a socket whose path would be too long in the temporary directory, if that is private', async () => {
    const dataDir = join(makeDataDir(), 'long'.repeat(25))
    const database = await start(dataDir)
    const directory = new URL(database.url).searchParams.get('host') ?? ''
    expect(directory).toMatch(/\/watchword-[0-9a-f]{16}$/)
    expect(await query(database, 'select 1')).toEqual([[1]])
    await database.stop()
    stops.push(() => rmSync(directory, { recursive: true }))
    chmodSync(directory, 0o755)
    expect(await failStart(dataDir)).toBe(
      `${directory}, the directory for PostgreSQL's socket, belongs to another user or is open to others: remove it and start again.`,
    )
  })
})

describe('one owner', () => {
  test('refuses a second one, in this process or another', async () => {
    const dataDir = useSharedDataDir()
    const first = await start(dataDir)
    const refusal = `The embedded PostgreSQL in ${dataDir} is already in use by process ${process.pid}: stop that one first, or set WATCHWORD_DATA_DIR to another directory.`
    expect(await failStart(dataDir)).toBe(refusal)
    expect((await startPeer(dataDir)).error).toBe(refusal)
    expect(await query(first, 'select 1')).toEqual([[1]])
  })

  test('comes out of starts at the same moment on a fresh directory', async () => {
    const dataDir = makeDataDir()
    const peers = await Promise.all([1, 2].map(() => startPeer(dataDir)))
    const owners = peers.filter((peer) => peer.owned)
    expect(owners).toHaveLength(1)
    const refused = peers.filter((peer) => peer.error?.includes(`in use by process ${owners[0]?.child.pid}:`))
    expect(refused).toHaveLength(1)
    expect(await query({ url: owners[0]?.url ?? '' }, 'select 1')).toEqual([[1]])
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])
  })

  test('lets a guest use its server and keeps it when the guest leaves', async () => {
    const dataDir = useSharedDataDir()
    const owner = await start(dataDir)
    const guest = await start(dataDir, 'guest')
    expect([guest.owned, guest.url, guest.lines]).toEqual([false, owner.url, []])
    await guest.stop()
    expect(await query(owner, 'select 1')).toEqual([[1]])
  })

  test('is the guest when nobody else is; a service that comes meanwhile waits for it', async () => {
    const dataDir = useSharedDataDir()
    const guest = await startPeer(dataDir, { role: 'guest' })
    expect(guest.owned).toBe(true)
    const coming = start(dataDir)
    await eventually(async () => {
      const names = await query(guest, `select application_name from pg_stat_activity`)
      return names.flat().includes(`watchword owner ${process.pid}`)
    })
    guest.child.send('stop')
    const owner = await coming
    expect(owner.owned).toBe(true)
    expect(await query(owner, 'select 1')).toEqual([[1]])
  })
})

describe('crashes', () => {
  test('adopts the server that a killed process left running', async () => {
    const dataDir = useSharedDataDir()
    const peer = await startPeer(dataDir)
    await query(peer, 'create table if not exists kept as select 42 as answer')
    const pid = readServerPid(dataDir)
    await killPeer(peer, 'SIGKILL')
    const database = await start(dataDir)
    expect(database.lines).toEqual([`Adopted the running embedded PostgreSQL in ${dataDir}, left by a crash`])
    expect([database.owned, readServerPid(dataDir)]).toEqual([true, pid])
    expect(await query(database, 'select answer from kept')).toEqual([[42]])
    await database.stop()
    expect(isServer(pid ?? 0)).toBe(false)
  })

  test('leaves the server running when the terminal interrupts our process group', async () => {
    const dataDir = useSharedDataDir()
    const peer = await startPeer(dataDir)
    await killPeer(peer, 'SIGINT')
    expect(await query(peer, 'select 1')).toEqual([[1]])
  })

  test('recovers when everything was killed, even if the process id was dealt anew', async () => {
    const dataDir = useSharedDataDir()
    const peer = await startPeer(dataDir)
    await query(peer, 'create table if not exists kept as select 42 as answer')
    const pid = readServerPid(dataDir) ?? 0
    await killPeer(peer, 'SIGKILL')
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isServer(pid))
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
    const stranger = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
    stops.push(() => void stranger.kill('SIGKILL'))
    for (const file of [pidFile, join(dataDir, 'socket', '.s.PGSQL.5432.lock')]) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(String(pid), String(stranger.pid)))
    }
    const database = await start(dataDir)
    expect(await query(database, 'select answer from kept')).toEqual([[42]])
    expect(stranger.exitCode).toBeNull()
  })

  test('brings back a server that dies under its owner, and still owns it', async () => {
    const dataDir = useSharedDataDir()
    const database = await start(dataDir)
    const pid = readServerPid(dataDir) ?? 0
    process.kill(pid, 'SIGKILL')
    await eventually(() => database.lines.at(-1) === `The embedded PostgreSQL in ${dataDir} is running again`)
    expect(await query(database, 'select 1')).toEqual([[1]])
    expect((await startPeer(dataDir)).error).toContain('is already in use')
    await database.stop()
    expect(readServerPid(dataDir)).toBeUndefined()
  })

  test('repeats a set-up that was cut short', async () => {
    const dataDir = makeDataDir()
    const dead = spawn(process.execPath, ['-e', ''])
    await once(dead, 'exit')
    mkdirSync(join(dataDir, `postgres.new-${dead.pid}-1-ab`, 'base'), { recursive: true })
    mkdirSync(join(dataDir, 'postgres'))
    writeFileSync(join(dataDir, 'postgres', 'half-made'), '')
    if (process.getuid?.() === 0) chmodSync(dataDir, 0o755)
    const database = await start(dataDir)
    expect(await query(database, 'select 1')).toEqual([[1]])
    expect(database.lines[0]).toContain('had no complete PostgreSQL data')
    const aside = expect.stringMatching(/^postgres\.broken-\d+$/)
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', aside, 'postgres.log', 'socket'])
  })
})
