import { createSecretKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { makeCertificate, type SmtpPeerOptions, startSmtpPeer, trust } from '../../../test/peers/smtp-peer.ts'
import { type Config, ConfigError, parseConfig } from '../config/config.ts'
import type { Keyring } from '../crypto/keyring.ts'
import { packId } from '../crypto/tokens.ts'
import { newId } from '../ids.ts'
import { readSender } from './sender.ts'
import { checkMailServer, describeMail, openMailServer, readSmtpUrl } from './smtp.ts'

const trusted = await makeCertificate()
const untrusted = await makeCertificate()
trust(trusted)

async function startPeer(options: SmtpPeerOptions) {
  const peer = await startSmtpPeer(options)
  afterAll(() => peer.stop())
  return peer
}
const encrypted = await startPeer({ certificate: trusted, password: 'p@ss word', secure: true })
const stripped = await startPeer({ password: 'secret', withoutStarttls: true })
const forged = await startPeer({ certificate: untrusted, password: 'secret' })
const selfSigned = await startPeer({ certificate: untrusted, password: 'secret', secure: true })
const plain = await startPeer({ withoutStarttls: true })

const config = (smtpUrl: string): Config =>
  parseConfig({ SMTP_URL: smtpUrl, WATCHWORD_MAIL_FROM: 'Acme, Inc. <login@acme.example>' })

const key = createSecretKey(Buffer.alloc(32))
const never = () => Promise.reject(new Error('Mails are sent as they are'))
const keyring: Keyring = { hashKey: () => key, prepare: never, seal: never, open: never, forget: never }

const mail = (to: string) => ({
  id: newId(),
  directoryId: newId(),
  createdAt: new Date('2026-01-02T03:04:05Z'),
  decoy: false,
  kind: 'test',
  to,
  subject: 'Grüße\r\nBcc: eve@example.org',
  text: 'amber falcon\n',
  html: '<p>amber falcon</p>',
  from: { name: null, address: null },
  replyTo: null,
})

async function send(smtpUrl: string, to = 'ada@example.com', changes: Partial<ReturnType<typeof sent>> = {}) {
  const server = openMailServer({ config: config(smtpUrl), keyring })
  const message = { ...mail(to), ...changes }
  try {
    await server?.send(message)
    return message
  } finally {
    server?.close()
  }
}

test('sends over TLS with credentials, to the one recipient', async () => {
  const { id, directoryId } = await send(`smtps://us%20er:p%40ss%20word@localhost:${encrypted.port}`)
  const [delivery] = encrypted.deliveries
  expect(encrypted.deliveries).toHaveLength(1)
  expect(delivery).toMatchObject({ from: 'login@acme.example', to: ['ada@example.com'], secure: true, user: 'us er' })
  expect(delivery?.email.from).toMatchObject({ name: 'Acme, Inc.', address: 'login@acme.example' })
  expect(delivery?.email.to).toMatchObject([{ address: 'ada@example.com' }])
  const place = `${packId(id)}\\.${packId(directoryId)}`
  expect(delivery?.email.messageId).toMatch(new RegExp(`^<${place}\\.[0-9A-Za-z]{22}@acme\\.example>$`))
  expect(delivery?.email.date).toBe('2026-01-02T03:04:05.000Z')
  expect(delivery?.email.subject).toBe('Grüße Bcc: eve@example.org')
  expect(delivery?.email.bcc ?? []).toEqual([])
  expect(delivery?.raw).toMatch(/^auto-submitted: auto-generated\r$/im)
})

test('sends in clear only where nobody set credentials', async () => {
  await send(`smtp://127.0.0.1:${plain.port}`, 'grace@example.com')
  expect(plain.deliveries).toMatchObject([{ to: ['grace@example.com'], secure: false }])
})

const sent = (name: string | null, address: string | null, replyTo: string | null) => ({
  from: { name, address },
  replyTo,
})

test('shows the sender of the directory, and keeps its own in the envelope', async () => {
  plain.deliveries.length = 0
  const url = `smtp://127.0.0.1:${plain.port}`
  await send(url, 'ada@example.com', sent('Globex', 'Hello@ACME.example', 'help@globex.example'))
  await send(url, 'ada@example.com', sent('Globex', null, null))
  expect(plain.deliveries.map(({ from }) => from)).toEqual(['login@acme.example', 'login@acme.example'])
  const [first, second] = plain.deliveries.map(({ email }) => email)
  expect(first?.from).toEqual({ name: 'Globex', address: 'Hello@acme.example' })
  expect(first?.replyTo).toEqual([{ name: '', address: 'help@globex.example' }])
  expect(second?.from).toEqual({ name: 'Globex', address: 'login@acme.example' })
  expect(second?.replyTo ?? []).toEqual([])
})

test('sends as nobody but its own domain, whatever was sealed', async () => {
  const addresses = [
    'ceo@bank.example',
    'login@sub.acme.example',
    'login@acme.example.bank.example',
    'x@bank.example, y@acme.example',
    'x@bank.example>\r\nBcc: eve@example.org <y@acme.example',
    '',
  ]
  plain.deliveries.length = 0
  for (const address of addresses)
    await send(`smtp://127.0.0.1:${plain.port}`, 'ada@example.com', sent(null, address, address))
  for (const { from, to, email, raw } of plain.deliveries) {
    expect([from, to]).toEqual(['login@acme.example', ['ada@example.com']])
    expect(email.from).toEqual({ name: 'Acme, Inc.', address: 'login@acme.example' })
    expect(raw).not.toMatch(/^bcc:/im)
  }
  expect(plain.deliveries).toHaveLength(addresses.length)
})

test('a name of the sender adds no header and no second address', async () => {
  plain.deliveries.length = 0
  const names = [
    'Eve\r\nBcc: eve@example.org',
    'Eve\nX-Own: 1\n\nbody',
    'Eve <eve@example.org>, "',
    '=?utf-8?q?=0d=0aBcc:?=',
  ]
  for (const name of names) await send(`smtp://127.0.0.1:${plain.port}`, 'ada@example.com', sent(name, null, null))
  expect(plain.deliveries).toHaveLength(names.length)
  for (const { to, email, raw } of plain.deliveries) {
    expect(to).toEqual(['ada@example.com'])
    expect(email.from?.address).toBe('login@acme.example')
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^(bcc|x-own):/im)
    expect(email.text?.trim()).toBe('amber falcon')
  }
})

test('gives no password to a server without TLS', async () => {
  await expect(send(`smtp://user:secret@127.0.0.1:${stripped.port}`)).rejects.toMatchObject({
    name: 'DeliveryFailure',
    refused: false,
    unreachable: true,
  })
  expect(stripped.logins).toEqual([])
  expect(stripped.deliveries).toEqual([])
})

test('gives no password to a server whose certificate is not trusted', async () => {
  await expect(send(`smtp://user:secret@localhost:${forged.port}`)).rejects.toMatchObject({ unreachable: true })
  expect(forged.logins).toEqual([])
  expect(forged.deliveries).toEqual([])
})

test('gives up on a server that never speaks', { timeout: 25_000 }, async () => {
  const sockets: Socket[] = []
  const blackHole = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
  await once(blackHole, 'listening')
  const address = blackHole.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await expect(send(`smtp://127.0.0.1:${port}`)).rejects.toMatchObject({ refused: false, unreachable: true })
  for (const socket of sockets) socket.destroy()
  blackHole.close()
  expect(sockets).toHaveLength(1)
})

test.each(['a@evil.com,b@victim.com', '"a@evil.com"@victim.com', 'Ada <a@evil.com>', 'a@b.com\r\nRCPT TO:<c@d.com>'])(
  'never mails %j',
  async (to) => {
    const before = plain.deliveries.length
    await expect(send(`smtp://127.0.0.1:${plain.port}`, to)).rejects.toMatchObject({
      message: 'BAD_RECIPIENT',
      refused: true,
    })
    expect(plain.deliveries).toHaveLength(before)
  },
)

test('tells a recipient refused for good from one refused for now', async () => {
  const url = `smtp://127.0.0.1:${plain.port}`
  plain.answerRecipient = (address) => `${address.slice(0, 3)} ${address} is not wanted`
  await expect(send(url, '550@example.com')).rejects.toMatchObject({
    message: 'SMTP_550',
    refused: true,
    unreachable: false,
  })
  await expect(send(url, '451@example.com')).rejects.toMatchObject({
    message: 'SMTP_451',
    refused: false,
    unreachable: false,
  })
  await expect(send(url, '421@example.com')).rejects.toMatchObject({ refused: false, unreachable: true })
  plain.answerRecipient = () => null
})

test('checks the server for doctor', async () => {
  const good = config(`smtps://user:p%40ss%20word@localhost:${encrypted.port}`)
  await checkMailServer(good)
  const wrongPassword = config(`smtps://user:wrong-canary@localhost:${encrypted.port}`)
  const refusal = checkMailServer(wrongPassword)
  await expect(refusal).rejects.toThrow(/SMTP_535/)
  await expect(refusal).rejects.not.toThrow(/wrong-canary/)
  await expect(checkMailServer(config('smtp://127.0.0.1:1'))).rejects.toThrow(ConfigError)
})

test.each([
  [
    'smtps://user:secret@localhost',
    () => selfSigned.port,
    /certificate that this machine does not trust: set NODE_EXTRA_CA_CERTS .*DEPTH_ZERO/,
  ],
  ['smtp://user:secret@localhost', () => forged.port, /does not trust: set NODE_EXTRA_CA_CERTS/],
  [
    'smtps://user:secret@localhost',
    () => plain.port,
    /does not speak TLS from the first byte: use smtp:\/\/.*ERR_SSL_/,
  ],
  ['smtp://user:secret@127.0.0.1', () => stripped.port, /offers no STARTTLS.*NO_STARTTLS/],
  ['smtp://user:secret@127.0.0.1', () => 1, /refuses the connection: start it.*ECONNREFUSED/],
  ['smtp://user:secret@no-such-host.invalid', () => 25, /has no address in the DNS/],
  ['smtps://user:wrong@localhost', () => encrypted.port, /refuses the user name or password \(SMTP_535\)/],
])('doctor says what is wrong with %s: %#', async (address, port, line) => {
  await expect(checkMailServer(config(`${address}:${port()}`))).rejects.toThrow(line)
})

test('doctor says that a server which sends nothing may expect TLS', { timeout: 25_000 }, async () => {
  const url = `smtp://user:secret@localhost:${encrypted.port}`
  await expect(checkMailServer(config(url))).rejects.toThrow(/sends no greeting.*use smtps:\/\/ \(NO_GREETING\)/)
})

test('says what becomes of mails', () => {
  expect(describeMail(config('smtp://user:secret@mail.example.com'))).toEqual({
    ok: true,
    line: 'Email is sent through mail.example.com:587.',
  })
  expect(describeMail(parseConfig({})).line).toContain('http://localhost:4000/dev/mail')
  const production = parseConfig({ NODE_ENV: 'production', WATCHWORD_BASE_URL: 'https://auth.example.com' })
  expect(describeMail(production)).toMatchObject({ ok: false, line: expect.stringContaining('Set SMTP_URL') })
})

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 25, secure: false, requireTLS: false }],
  ['smtp://u:p@mail.example.com', { port: 587, secure: false, requireTLS: true, auth: { user: 'u', pass: 'p' } }],
  ['smtps://u:p%3A%40@mail.example.com/', { port: 465, secure: true, auth: { user: 'u', pass: 'p:@' } }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
])('reads %s', (url, expected) => {
  expect(readSmtpUrl(url)).toMatchObject(expected)
})

test.each([
  'smtp://mail.example.com?tls.rejectUnauthorized=false',
  'smtp://mail.example.com/?requireTLS=false',
  'smtp://mail.example.com/path',
  'smtp://',
  'smtp://user:100%@mail.example.com',
])('refuses %s', (url) => {
  expect(() => readSmtpUrl(url)).toThrow(ConfigError)
})

test('reads senders', () => {
  expect(readSender('login@acme.com')).toEqual({ name: '', address: 'login@acme.com' })
  expect(readSender('Acme <login@acme.com>')).toEqual({ name: 'Acme', address: 'login@acme.com' })
  expect(readSender('"Acme, Inc." <login@acme.com>')).toEqual({ name: 'Acme, Inc.', address: 'login@acme.com' })
  for (const text of ['Acme', 'Acme <>', 'a@b.com, c@d.com', 'a@b.com <c@d.com> x', 'Acme <a@b@c.com>'])
    expect(() => readSender(text)).toThrow(ConfigError)
})
