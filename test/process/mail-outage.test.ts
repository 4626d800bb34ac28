import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Reply, until } from '../harness.ts'
import { type ReceivedMail, startMailService, succeed } from './mail-service.ts'
import { afterThisTest, startedOnce } from './service.ts'

// A failing mail server changes no answer and loses no mail.

const mails = await startedOnce(startMailService)
const { api, peer } = mails
const PASSWORD = 'correct horse battery staple'

interface Person {
  subOrgId: string
  email: string
  id: string
}

interface Mailing {
  /** Mails the person. */
  send(person: Person): Promise<Reply>
  /** What the mail is for; absent for a mere notice. */
  redeem?(person: Person, mail: ReceivedMail, sent: Reply): Promise<Reply>
  newcomer?: true
}

const redeemAt = (path: string, extra: object = {}) => {
  return ({ subOrgId, email }: Person, { link }: ReceivedMail) =>
    api.post(path, { subOrgId, email, token_hash: link?.token, ...extra })
}
const enterCode = (path: string) => {
  return ({ subOrgId, email }: Person, { code }: ReceivedMail, { body }: Reply) =>
    api.post(path, { subOrgId, email, otp_id: body.otp_id, code })
}
const sendAt = (path: string) => {
  return ({ subOrgId, email }: Person) => api.post(path, { subOrgId, email })
}
const acceptInvite = ({ subOrgId }: Person, { link }: ReceivedMail) =>
  api.post('/v1/auth/invite/accept', { subOrgId, token: link?.token, password: PASSWORD })

/** Every request that sends a mail. */
const mailings: Record<string, Mailing> = {
  'sign-in code': {
    send: sendAt('/v1/auth/login/otp/send'),
    redeem: enterCode('/v1/auth/login/otp/verify'),
  },
  'sign-up code': {
    send: sendAt('/v1/auth/signup/otp/send'),
    redeem: enterCode('/v1/auth/signup/otp/verify'),
    newcomer: true,
  },
  'sign-in link': {
    send: sendAt('/v1/auth/login/magic-link/send'),
    redeem: redeemAt('/v1/auth/login/magic-link/verify'),
  },
  'words beside the link': {
    send: sendAt('/v1/auth/login/magic-link/send'),
    redeem: enterCode('/v1/auth/login/otp/verify'),
  },
  'sign-up link': {
    send: sendAt('/v1/auth/signup/authenticate-email/send'),
    redeem: redeemAt('/v1/auth/signup/authenticate-email/verify'),
    newcomer: true,
  },
  reset: {
    send: sendAt('/v1/auth/password/reset/send'),
    redeem: redeemAt('/v1/auth/password/reset/confirm', { password: PASSWORD }),
  },
  'reset by an administrator': {
    send: ({ subOrgId, id }) => api.post(`/v1/users/${id}/password/reset`, { subOrgId }),
    redeem: redeemAt('/v1/auth/password/reset/confirm', { password: PASSWORD }),
  },
  invitation: { send: sendAt('/v1/users/invites'), redeem: acceptInvite, newcomer: true },
  'invitation of a user': {
    send: ({ subOrgId, id }) => api.post(`/v1/users/${id}/invite`, { subOrgId }),
    redeem: acceptInvite,
  },
  verification: {
    send: ({ subOrgId, id }) => api.post(`/v1/users/${id}/verify/resend`, { subOrgId }),
    redeem: redeemAt('/v1/auth/email/verify'),
  },
  'sign-up without a password': {
    send: sendAt('/v1/auth/signup'),
    redeem: redeemAt('/v1/auth/email/verify'),
    newcomer: true,
  },
  'sign-up with a password': {
    send: ({ subOrgId, email }) => api.post('/v1/auth/signup/password', { subOrgId, email, password: PASSWORD }),
    redeem: redeemAt('/v1/auth/email/verify'),
    newcomer: true,
  },
  lock: {
    async send(person) {
      const login = () => sendAtLogin(person, 'not the password')
      await login()
      await login()
      return login()
    },
    redeem: redeemAt('/v1/auth/unlock'),
  },
  'changed password': {
    send: ({ subOrgId, id }) => api.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD }),
  },
}

function sendAtLogin({ subOrgId, email }: Person, password: string) {
  return api.post('/v1/auth/login/password', { subOrgId, email, password })
}

afterEach(() => {
  peer.answerRecipient = () => null
})

async function newPerson(subOrgId: string, mailing: Pick<Mailing, 'newcomer'> = {}): Promise<Person> {
  const email = `p${randomUUID()}@example.com`
  if (mailing.newcomer) return { subOrgId, email, id: '' }
  const made = await mails.post('/v1/users', { subOrgId, email })
  return { subOrgId, email, id: String(made.user.id) }
}

/** An answer without what differs between requests. */
function outline({ status, text }: Reply): string {
  const ids = /[0-9a-f]{8}-[0-9a-f-]{27}/g
  const moments = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
  const tokens = /"(access_token|refresh_token|request_id)":"[^"]+"/g
  return `${status} ${text.replaceAll(ids, 'id').replaceAll(moments, 'moment').replaceAll(tokens, '"$1"')}`
}

interface Sent {
  mailing: Mailing
  person: Person
  reply: Reply
}

/** Sends every kind of mail, each to a fresh recipient. */
async function sendAll(): Promise<Sent[]> {
  const subOrgId = await mails.organization()
  const sent = []
  for (const mailing of Object.values(mailings)) {
    const person = await newPerson(subOrgId, mailing)
    const reply = await mailing.send(person)
    // 401: the failure that locks.
    expect([200, 401], reply.text).toContain(reply.status)
    sent.push({ mailing, person, reply })
  }
  return sent
}

async function receiveAll(sent: Sent[]): Promise<void> {
  for (const { mailing, person, reply } of sent) {
    const mail = await mails.receive(person.email)
    const redeemed = await mailing.redeem?.(person, mail, reply)
    if (redeemed) succeed(redeemed)
  }
}

/** Takes the mails that redeeming others has caused: notices of a changed password. */
async function takeNews(): Promise<void> {
  // An attempt that was given up may have arrived nevertheless: such a mail comes twice, with one message id.
  const news = (await mails.unreceived()).filter(({ again }) => !again)
  expect(new Set(news.map(({ subject }) => subject))).toEqual(new Set(['Your password was changed']))
}

const sentWhileUp = await sendAll()
const answersWhileUp = sentWhileUp.map(({ reply }) => outline(reply))

test('while it is up, every mail arrives and works', async () => {
  await receiveAll(sentWhileUp)
  await takeNews()
})

test('while it is down, requests answer the same, and the mails arrive and work when it is back', {
  timeout: 120_000,
}, async () => {
  await peer.stop()
  const sent = await sendAll()
  expect(sent.map(({ reply }) => outline(reply))).toEqual(answersWhileUp)
  expect(await mails.waiting()).toBe(sent.length)
  await until(async () => (await mails.counted('retried')) > 0)
  expect(peer.deliveries).toEqual([])
  await peer.start()
  await receiveAll(sent)
  await takeNews()
})

test('while it takes connections and never speaks, requests answer the same, and the mails follow', {
  timeout: 120_000,
}, async () => {
  await peer.stop()
  const blackHole = await openBlackHole(peer.port)
  const first = await newPerson(await mails.organization())
  succeed(await sendAt('/v1/auth/login/otp/send')(first))
  await until(async () => blackHole.sockets.length > 0)
  const sent = await sendAll()
  // Only the silent server has been tried, and no mail was sent.
  expect(sent.map(({ reply }) => outline(reply))).toEqual(answersWhileUp)
  expect(await mails.waiting()).toBe(sent.length + 1)
  expect(blackHole.wrote()).toBe(0)
  // It is back, and never closes the connections it accepted.
  await blackHole.stopListening()
  await peer.start()
  expect((await mails.receive(first.email)).code).not.toBeNull()
  await receiveAll(sent)
  await takeNews()
})

test('one who is refused for good is dropped and counted, and everybody else gets theirs', {
  timeout: 120_000,
}, async () => {
  const refusedBefore = await mails.counted('refused')
  const subOrgId = await mails.organization()
  const people = await Promise.all([1, 2, 3, 4, 5].map(() => newPerson(subOrgId)))
  const [nobody, ...others] = people
  const asked: string[] = []
  peer.answerRecipient = (address) => {
    asked.push(address)
    return address === nobody?.email ? '550 no such user here' : null
  }
  const replies = await Promise.all(people.map(sendAt('/v1/auth/login/otp/send')))
  expect(new Set(replies.map(outline)).size).toBe(1)
  for (const person of others) expect((await mails.receive(person.email)).code).not.toBeNull()
  expect(await mails.unreceived()).toEqual([])
  expect(asked.filter((address) => address === nobody?.email)).toHaveLength(1)
  await until(async () => (await mails.counted('refused')) === refusedBefore + 1)
  const log = mails.service.stdout() + mails.service.stderr()
  expect(log).toContain('"code":"SMTP_550"')
  expect(log).not.toMatch(/@example\.com|no such user/)
})

/** A server that lets clients in and says nothing. */
async function openBlackHole(port: number) {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    sockets.push(socket)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  afterThisTest(() => {
    for (const socket of sockets) socket.destroy()
  })
  return {
    sockets,
    wrote: () => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0),
    async stopListening() {
      server.close()
      await until(async () => !server.listening)
    },
  }
}
