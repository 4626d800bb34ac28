import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../test/harness.ts'
import { makeCertificate } from '../../test/peers/smtp-peer.ts'
import { runCommand, settingsOf } from '../../test/process/cli.ts'

const settings = settingsOf(await startApp())
const server = new pg.Client({ connectionString: settings['DATABASE_URL'] ?? '' })
const certificate = await makeCertificate({ ip: '0.0.0.0' })
const directory = mkdtempSync(join(tmpdir(), 'ww-ca-'))
afterAll(() => rmSync(directory, { recursive: true }))
const caFile = join(directory, 'ca.pem')
writeFileSync(caFile, certificate.cert)

/** The SSLRequest message of PostgreSQL's protocol: length and code. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Serves the database on a port of every address, with or without TLS. */
async function startFront(withTls: boolean): Promise<string> {
  const sockets = new Set<Socket>()
  const front = createServer((near) => {
    sockets.add(near.on('error', () => undefined))
    near.once('data', (first: Buffer) => {
      near.pause()
      if (!first.equals(SSL_REQUEST)) return relay(near, first)
      near.write(withTls ? 'S' : 'N')
      if (withTls) relay(new TLSSocket(near, { isServer: true, ...certificate }))
      else near.resume()
    })
  })
  front.listen(0, '0.0.0.0')
  await once(front, 'listening')
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    front.close()
  })
  const address = front.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { user = '', password, database } = server
  return `postgres://${[user, password ?? ''].map(encodeURIComponent).join(':')}@0.0.0.0:${port}/${database}`

  function relay(near: Socket, first?: Buffer): void {
    const { host, port } = server
    const far = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
    sockets.add(far.on('error', () => undefined))
    near.on('error', () => undefined)
    if (first) far.write(first)
    near.pipe(far).pipe(near)
  }
}

const clear = await startFront(false)
const encrypted = await startFront(true)

async function findings(url: string) {
  const { json } = await runCommand({ ...settings, DATABASE_URL: url }, 'doctor', '--json')
  const all: { check: string; state: string; detail: string }[] = json.findings
  return all.filter(({ check }) => check === 'encryption' || check === 'database')
}

test('a connection to another machine that is not encrypted is a warning', async () => {
  const database = { check: 'database', state: 'ok', detail: expect.stringMatching(/^PostgreSQL/) }
  expect(await findings(clear)).toEqual([
    database,
    {
      check: 'encryption',
      state: 'warning',
      detail:
        'The connection of DATABASE_URL is not encrypted. Add ?sslmode=verify-full to DATABASE_URL, and sslrootcert=<file> if its CA is your own.',
    },
  ])
  expect(await findings(clear.replace('0.0.0.0', '127.0.0.1'))).toEqual([database])
  expect(await findings(`${encrypted}?sslmode=verify-full&sslrootcert=${caFile}`)).toEqual([database])
  expect(await findings(`${encrypted}?sslmode=no-verify`)).toEqual([
    database,
    { check: 'encryption', state: 'warning', detail: expect.stringMatching(/^The certificate of the server in/) },
  ])
})

test.each(['require', 'verify-ca', 'verify-full'])('sslmode=%s verifies the certificate', async (mode) => {
  expect(await findings(`${encrypted}?sslmode=${mode}`)).toEqual([
    { check: 'database', state: 'problem', detail: expect.stringMatching(/does not trust: add sslrootcert=<file>/) },
  ])
  expect(await findings(`${clear}?sslmode=${mode}`)).toEqual([
    { check: 'database', state: 'problem', detail: expect.stringMatching(/does not support TLS/) },
  ])
  const ca = `sslrootcert=${caFile}`
  expect(await findings(`${encrypted.replace('0.0.0.0', '127.0.0.2')}?sslmode=${mode}&${ca}`)).toEqual([
    { check: 'database', state: 'problem', detail: expect.stringMatching(/has a certificate for another name/) },
  ])
})

test('a second address that cannot be reached loses nothing of what was found at the first', async () => {
  const more = { WATCHWORD_DATABASE_DIRECT_URL: 'postgres://watchword@0.0.0.0:1/watchword' }
  const { code, json } = await runCommand({ ...settings, ...more }, 'doctor', '--json')
  const states = json.findings.map(({ check, state }: { check: string; state: string }) => [check, state])
  expect(code).toBe(1)
  expect(states).toEqual(
    expect.arrayContaining([
      ['database', 'ok'],
      ['migrations', 'ok'],
      ['master key', 'ok'],
      ['encryption', 'problem'],
    ]),
  )
})
