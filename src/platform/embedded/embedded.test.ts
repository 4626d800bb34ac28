import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually, isServer, openEmbedded, query, readServerPid } from '../../../test/embedded.ts'
import { killPeer } from '../../../test/peers/embedded-peer.ts'
import { signalServer } from '../../../test/peers/server-processes.ts'
import { locateBinaries, reachBinaries } from './binaries.ts'
import { openHome, spawnOptions } from './home.ts'

const { stops, makeDataDir, useSharedDataDir, start, failStart, useCopy, startPeer } = openEmbedded()

describe('start and stop', () => {
  test('makes a durable database reachable by socket alone, and keeps it', async () => {
    const dataDir = useSharedDataDir()
    const database = await start(dataDir)
    const pid = readServerPid(dataDir) ?? 0
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
    expect(again.lines).toEqual([`Started the embedded PostgreSQL 18 in ${dataDir}`])
    expect(lastStart(dataDir)).toContain('database system was shut down at')
    expect(await query(again, 'select answer from kept')).toEqual([[42]])
  })

  test('starts from an installation without install scripts, in a path with spaces', async () => {
    const from = useCopy()
    expect(from.node).toContain(' ')
    const dataDir = `${makeDataDir()} of mine`
    stops.push(() => rmSync(dataDir, { recursive: true }))
    const peer = await startPeer(dataDir, { from })
    expect(await query(peer, 'select 1')).toEqual([[1]])
    peer.child.send('stop')
    await once(peer.child, 'exit')
    expect(readServerPid(dataDir)).toBeUndefined()
  })

  test('gives the server none of our environment', async () => {
    const dataDir = useSharedDataDir()
    await startPeer(dataDir)
    const environment = readFileSync(`/proc/${readServerPid(dataDir)}/environ`, 'utf8').split('\0')
    expect(environment.map((line) => line.split('=')[0])).toEqual(expect.arrayContaining(['LC_ALL', 'TZ']))
    expect(environment.filter((line) => line.startsWith('PATH='))).toEqual([])
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

const inUse = (dataDir: string, by: string) =>
  `The embedded PostgreSQL in ${dataDir} is already in use by ${by}: stop that one first, or set WATCHWORD_DATA_DIR to another directory.`

/** The part of the server's log since its last start. After a crash it reports a recovery. */
function lastStart(dataDir: string): string {
  return readFileSync(join(dataDir, 'postgres.log'), 'utf8').split('starting PostgreSQL').at(-1) ?? ''
}

describe('one owner', () => {
  test('refuses a second one, in this process or another', async () => {
    const dataDir = useSharedDataDir()
    const first = await start(dataDir)
    const pid = readServerPid(dataDir)
    expect(await failStart(dataDir)).toBe(inUse(dataDir, `process ${process.pid}`))
    expect((await startPeer(dataDir)).error).toBe(inUse(dataDir, `process ${process.pid}`))
    expect([await query(first, 'select 1'), readServerPid(dataDir)]).toEqual([[[1]], pid])
  })

  test('comes out of starts at the same moment on a fresh directory', async () => {
    const dataDir = makeDataDir()
    const peers = await Promise.all([1, 2].map(() => startPeer(dataDir)))
    const [owner, ...others] = peers.filter((peer) => peer.error === undefined)
    expect(others).toEqual([])
    const refusals = peers.flatMap(({ error }) => error ?? [])
    expect(refusals).toEqual([inUse(dataDir, `process ${owner?.child.pid}`)])
    expect(await query({ url: owner?.url ?? '' }, 'select 1')).toEqual([[1]])
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])
  })

  test('never touches a server that something else started', async () => {
    const dataDir = useSharedDataDir()
    const { url, stop } = await start(dataDir)
    await stop()
    const foreign = await startForeign(dataDir)
    expect(await failStart(dataDir)).toBe(inUse(dataDir, `another program (PostgreSQL has process id ${foreign.pid})`))
    expect(await query({ url }, 'select 1')).toEqual([[1]])
    expect(foreign.exitCode).toBeNull()
  })

  test.runIf(process.getuid?.() === 0)('refuses a server whose process is not visible, as in a container', async () => {
    const dataDir = useSharedDataDir()
    const { url, stop } = await start(dataDir)
    await stop()
    const sockets = join(dataDir, '..', 'sockets')
    stops.push(() => rmSync(sockets, { recursive: true }))
    mkdirSync(sockets)
    const { uid, gid } = statSync(join(dataDir, 'socket'))
    chownSync(sockets, uid, gid)
    await startForeign(dataDir, ['unshare', '--pid', '--fork'], sockets)
    expect(await failStart(dataDir)).toBe(inUse(dataDir, 'another program (PostgreSQL has process id 1)'))
    const itsUrl = url.replace(/host=.*/, `host=${encodeURIComponent(sockets)}`)
    expect(await query({ url: itsUrl }, 'select 1')).toEqual([[1]])
    expect(readServerPid(dataDir)).toBe(1)
  })

  test.runIf(process.getuid?.() === 0)('refuses a server in a container that mounts the data elsewhere', async () => {
    const dataDir = useSharedDataDir()
    const { url, stop } = await start(dataDir)
    await stop()
    await startForeign(dataDir, ['unshare', '--pid', '--ipc', '--fork'])
    // Process 1 is a different program here, and the socket path is the container's.
    const lock = join(dataDir, 'postgres', 'postmaster.pid')
    const text = readFileSync(lock, 'utf8').replace(`\n${join(dataDir, 'socket')}\n`, '\n/mounted-elsewhere/socket\n')
    expect(text).toContain('elsewhere')
    writeFileSync(lock, text)
    expect(await failStart(dataDir)).toBe(inUse(dataDir, 'another program (PostgreSQL has process id 1)'))
    expect(readFileSync(lock, 'utf8')).toBe(text)
    const command = await start(dataDir, 'command')
    expect([command.url, await query(command, 'select 1')]).toEqual([url, [[1]]])
  })

  /** A server on the data of `dataDir` that Watchword did not start. */
  async function startForeign(dataDir: string, wrapper: string[] = [], socketDirectory = join(dataDir, 'socket')) {
    const log = () => undefined
    const home = openHome(dataDir, log)
    const { directory } = await reachBinaries(locateBinaries(), home, log)
    const { uid, gid } = statSync(home.cluster)
    const drop = wrapper.length > 0 ? ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : []
    const [program = '', ...args] = [...wrapper, ...drop, join(directory, 'bin', 'postgres')]
    const settings = ['listen_addresses=', `unix_socket_directories=${socketDirectory}`]
    const child = spawn(program, [...args, '-D', home.cluster, ...settings.flatMap((setting) => ['-c', setting])], {
      ...spawnOptions(wrapper.length > 0 ? undefined : home.user, directory),
      env: { PATH: process.env['PATH'] },
      stdio: 'ignore',
    })
    const gone = once(child, 'exit')
    stops.push(async () => {
      signalServer(child.pid ?? 0, 'SIGKILL')
      await gone
    })
    const lock = join(home.cluster, 'postmaster.pid')
    await eventually(() => readServerPid(dataDir) !== undefined && readFileSync(lock, 'utf8').includes('ready'))
    return child
  }

  test('lets a command use its server and keeps it when the command ends', async () => {
    const dataDir = useSharedDataDir()
    const owner = await start(dataDir)
    const command = await start(dataDir, 'command')
    expect([command.url, command.lines]).toEqual([owner.url, []])
    await command.stop()
    expect(await query(owner, 'select 1')).toEqual([[1]])
  })

  test('is a command where no service runs; a service that starts meanwhile waits for its end', async () => {
    const dataDir = useSharedDataDir()
    const command = await startPeer(dataDir, { role: 'command' })
    let isStarted = false
    const coming = start(dataDir).finally(() => {
      isStarted = true
    })
    expect(await query(command, 'select pg_sleep(0.3), 1')).toEqual([['', 1]])
    expect(isStarted).toBe(false)
    command.child.send('stop')
    expect(await query(await coming, 'select 1')).toEqual([[1]])
  })
})

describe('crashes', () => {
  test('stops the server that a killed process left running, and starts its own', async () => {
    const dataDir = useSharedDataDir()
    const peer = await startPeer(dataDir)
    await query(peer, 'create table if not exists kept as select 42 as answer')
    const pid = readServerPid(dataDir) ?? 0
    await killPeer(peer, 'SIGKILL')
    expect(isServer(pid)).toBe(true)
    const database = await start(dataDir)
    expect(database.lines).toEqual([
      `Stopping the embedded PostgreSQL in ${dataDir}, which a crash left running`,
      `Started the embedded PostgreSQL 18 in ${dataDir}`,
    ])
    expect([isServer(pid), readServerPid(dataDir) === pid]).toEqual([false, false])
    expect(lastStart(dataDir)).toContain('database system was shut down at')
    expect(await query(database, 'select answer from kept')).toEqual([[42]])
  })

  test('lets one of several starts have what a killed process left', async () => {
    const dataDir = useSharedDataDir()
    const left = await startPeer(dataDir)
    await query(left, 'create table if not exists kept as select 42 as answer')
    await killPeer(left, 'SIGKILL')
    const peers = await Promise.all([1, 2, 3].map(() => startPeer(dataDir)))
    const owners = peers.filter((peer) => peer.error === undefined)
    expect(owners).toHaveLength(1)
    const refusal = inUse(dataDir, `process ${owners[0]?.child.pid}`)
    expect(peers.flatMap(({ error }) => error ?? [])).toEqual([refusal, refusal])
    expect(await query({ url: owners[0]?.url ?? '' }, 'select answer from kept')).toEqual([[42]])
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
    // PostgreSQL would take this process for the server if it ran as the same user.
    const { uid, gid } = statSync(pidFile)
    const stranger = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {})
    stops.push(() => void stranger.kill('SIGKILL'))
    for (const file of [pidFile, join(dataDir, 'socket', '.s.PGSQL.5432.lock')]) {
      writeFileSync(file, readFileSync(file, 'utf8').replace(String(pid), String(stranger.pid)))
    }
    const database = await start(dataDir)
    expect(lastStart(dataDir)).toContain('database system was not properly shut down')
    expect(await query(database, 'select answer from kept')).toEqual([[42]])
    expect(stranger.exitCode).toBeNull()
  })

  test('brings back a server that dies under its owner, and still owns it', async () => {
    const dataDir = useSharedDataDir()
    const database = await start(dataDir)
    const started = database.lines.at(-1)
    const [row] = await query(database, `select pid from pg_stat_activity where backend_type = 'checkpointer'`)
    const checkpointer = Number(row)
    // PostgreSQL refuses to start while one of its earlier processes remains.
    process.kill(checkpointer, 'SIGSTOP')
    stops.push(() => void (isServer(checkpointer) && process.kill(checkpointer, 'SIGKILL')))
    process.kill(readServerPid(dataDir) ?? 0, 'SIGKILL')
    await eventually(() => lastStart(dataDir).includes('is still in use'))
    process.kill(checkpointer, 'SIGCONT')
    await eventually(() => database.lines.at(-1) === started)
    expect(database.lines.slice(-2)).toEqual([
      `The embedded PostgreSQL in ${dataDir} stopped unexpectedly: restarting it`,
      started,
    ])
    expect(await query(database, 'select 1')).toEqual([[1]])
    expect((await startPeer(dataDir)).error).toContain('is already in use')
    await database.stop()
    expect(readServerPid(dataDir)).toBeUndefined()
  })

  test('repeats a set-up that was cut short', async () => {
    const dataDir = makeDataDir()
    mkdirSync(join(dataDir, 'postgres.new-abcdef', 'base'), { recursive: true })
    mkdirSync(join(dataDir, 'postgres'))
    if (process.getuid?.() === 0) chmodSync(dataDir, 0o755)
    expect(await query(await start(dataDir), 'select 1')).toEqual([[1]])
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log', 'socket'])
  })
})
