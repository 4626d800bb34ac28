import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { enrollTotp, makeProvenUser, sentSmsCode, succeeded } from '../people/factors.ts'
import { type Mailbox, newEmail, newUser } from '../people/people.ts'

// Nobody learns who is there: from the first request to long after the last attempt, whoever has something sent to an address
// and guesses is answered as for everybody else.

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
succeeded(await tenant.patch('/v1/otp/settings', { subOrgId, sms_allowed_countries: ['US'] }))
succeeded(await tenant.patch('/v1/auth/settings', { subOrgId, sms_sign_in_enabled: true }))
succeeded(await tenant.patch('/v1/mfa/policy', { subOrgId, allowed_methods: ['totp', 'backup', 'sms'] }))

/** By how much the clock was moved. */
let ahead = 0
let numbers = 0
const advance = async (seconds: number) => {
  await app.advance(seconds)
  ahead += seconds
}

async function withPhone({ app: hasApp }: { app: boolean }): Promise<Mailbox> {
  const { id, email } = await makeProvenUser(tenant, subOrgId)
  numbers += 1
  const [named, phone] = [{ subOrgId, userId: id }, `+1415555${String(1000 + numbers)}`]
  succeeded(await tenant.post('/v1/mfa/sms', { ...named, phone }))
  succeeded(await tenant.put('/v1/mfa/sms', { ...named, code: await sentSmsCode(app, phone) }))
  if (hasApp) await enrollTotp(tenant, id, { subOrgId, ahead })
  return { subOrgId, email }
}

async function inactive(): Promise<Mailbox> {
  const person = await newUser(tenant, { subOrgId })
  succeeded(await tenant.patch(`/v1/users/${person.id}`, { subOrgId, active: false }))
  return person
}

async function locked(): Promise<Mailbox> {
  const person = await withPhone({ app: true })
  const { users } = succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${person.email}`))
  succeeded(await tenant.post(`/v1/users/${users[0].id}/lock`, { subOrgId, reason: 'A test' }))
  return person
}

/** Somebody who gets what is sent, and then who does not. */
const makePeople = async (): Promise<Mailbox[]> => [
  await withPhone({ app: true }),
  await withPhone({ app: false }),
  await newUser(tenant, { subOrgId }),
  await inactive(),
  await locked(),
  { subOrgId, email: newEmail() },
]

/** What can be seen of an answer, without what is random in it or tells the time. */
function seen({ status, headers, body }: Reply) {
  const { otp_id, expires_at, delivery_hint, request_id, retry_after, ...rest } = body
  const told = { ...rest, detail: String(body.detail).replace(/\d+ s\b/, '… s') }
  const left = /r=\d+/.exec(headers.get('ratelimit') ?? '')?.[0]
  return { status, fields: Object.keys(body), told, headers: [...headers.keys()], left }
}

/** How something is sent, and how somebody guesses what it is; `otp_id` is of the answer to the former. */
interface Kind {
  send(person: Mailbox): Promise<Reply>
  guess(person: Mailbox, otp_id: string): Promise<Reply>
  /** Codes of the answers to guesses. */
  told: string[]
}

const to = ({ email }: Mailbox, path: string, more: object = {}) => tenant.post(path, { subOrgId, email, ...more })

const code = (send: Kind['send'], verify = '/v1/auth/login/otp/verify'): Kind => ({
  send,
  guess: (person, otp_id) => to(person, verify, { otp_id, code: 'wrong words' }),
  told: ['otp_invalid', 'otp_too_many_attempts'],
})

/** A link, by one of the same kind that whoever guesses has got themselves. */
async function link(send: string, redeem: string, more: object = {}): Promise<Kind> {
  const own = succeeded(await to(await newUser(tenant, { subOrgId }), send, { deliver: false }))
  const token_hash = new URL(own.url).searchParams.get('token_hash')
  return {
    send: (person) => to(person, send),
    guess: (person) => to(person, redeem, { token_hash, ...more }),
    told: ['token_invalid'],
  }
}

const auth = '/v1/auth'
const kinds: Record<string, Kind> = {
  'a code by mail': code((person) => to(person, `${auth}/login/otp/send`)),
  'a code by SMS': code((person) => to(person, `${auth}/login/otp/send`, { channel: 'sms' })),
  'the code in the mail of a link': code((person) => to(person, `${auth}/login/magic-link/send`)),
  'a code of discovery': {
    ...code(({ email }) => tenant.post(`${auth}/discovery/otp/send`, { email })),
    guess: ({ email }, otp_id) => tenant.post(`${auth}/discovery/otp/verify`, { email, otp_id, code: 'wrong words' }),
  },
  'a code to sign up': code(
    (person) => to(person, `${auth}/signup/otp/send`, { openSignup: true }),
    `${auth}/signup/otp/verify`,
  ),
  'a sign-in link': await link(`${auth}/login/magic-link/send`, `${auth}/login/magic-link/verify`),
  'a link to a new password': await link(`${auth}/password/reset/send`, `${auth}/password/reset/confirm`, {
    password: 'a sentence to guess by',
  }),
}

test.each(Object.entries(kinds))('%s is told of alike, whoever it is for, from the first guess on', async (_, kind) => {
  const people = await makePeople()
  const told = new Set<string>()
  /** Does the same for everybody. */
  async function each(what: string, act: (person: Mailbox, i: number) => Promise<Reply>): Promise<Reply[]> {
    const replies = []
    for (const [i, person] of people.entries()) replies.push(await act(person, i))
    const [first, ...others] = replies.map(seen)
    for (const [i, other] of others.entries()) expect(other, `${what}, of ${i + 1}`).toEqual(first)
    return replies
  }
  let ids: string[] = []
  const guess = async (what: string) => {
    const replies = await each(what, (person, i) => kind.guess(person, ids[i] ?? ''))
    told.add(replies[0]?.body.code)
  }
  const send = async (what: string) => {
    const replies = await each(what, kind.send)
    if (replies[0]?.status === 200) ids = replies.map(({ body }) => String(body.otp_id))
  }
  // More than an hour, with more guesses than all the codes of an address have in one.
  for (let round = 1; round <= 6; round++) {
    await send(`round ${round}`)
    for (let n = 1; n <= 7; n++) await guess(`guess ${n} of round ${round}`)
    await send(`again in round ${round}`)
    await guess(`the newest of round ${round}`)
    await advance(round % 3 === 0 ? 3000 : 61)
    await guess(`late in round ${round}`)
  }
  expect([...told]).toEqual(kind.told)
})
