import { expect, test } from 'vitest'
import { type Reply, startApp } from '../harness.ts'
import { newPasskey } from '../people/authenticator.ts'
import { newHolder, PAGE, registrationOptions, signInOptions } from '../people/passkeys.ts'
import { startProcesses } from './processes.ts'

const app = await startApp()
const tenant = await app.tenant()
const processes = await startProcesses(app, 2)
const callers = processes.map((running) => running.as(tenant.key))
const subOrgId = await tenant.organization()
await tenant.patch('/v1/auth/settings', { subOrgId, sign_in_rate_limit_per_minute: 100 })

/** Requests at once, in turn on each process. */
function atOnce(bodies: object[], path: string): Promise<Reply[]> {
  return Promise.all(
    bodies.map((body, i) => {
      const caller = callers[i % callers.length]
      if (!caller) throw new Error('No process')
      return caller.post(path, body)
    }),
  )
}

const countOf = (replies: Reply[], status: number) => replies.filter((reply) => reply.status === status).length

test('one answer of a passkey in 50 requests at once gives exactly one session', async () => {
  const { email, passkey } = await newHolder(tenant, subOrgId)
  const { options, challengeId } = await signInOptions(tenant, subOrgId, email)
  const body = { subOrgId, email, challengeId, credential: passkey.use(options, { origin: PAGE }) }
  const replies = await atOnce(Array(50).fill(body), '/v1/auth/login/passkey/verify')
  expect([countOf(replies, 200), countOf(replies, 401)]).toEqual([1, 49])
})

test('of 50 answers with one counter to 50 challenges a single one gives a session', async () => {
  const { email, passkey } = await newHolder(tenant, subOrgId, { counter: 1 })
  const started = await Promise.all(Array.from({ length: 50 }, () => signInOptions(tenant, subOrgId, email)))
  const bodies = started.map(({ options, challengeId }) => {
    const credential = passkey.use(options, { origin: PAGE, counter: 2 })
    return { subOrgId, email, challengeId, credential }
  })
  const replies = await atOnce(bodies, '/v1/auth/login/passkey/verify')
  expect([countOf(replies, 200), countOf(replies, 401)]).toEqual([1, 49])
})

test('a user’s 20 passkeys are not exceeded, nor one credential registered twice, by two processes', async () => {
  const { userId } = await newHolder(tenant, subOrgId)
  const twin = newPasskey()
  const started = await Promise.all(Array.from({ length: 30 }, () => registrationOptions(tenant, subOrgId, userId)))
  const bodies = started.map(({ options, challengeId }, i) => {
    const credential = (i < 6 ? twin : newPasskey()).make(options, { origin: PAGE })
    return { subOrgId, userId, action: 'verify', challengeId, credential }
  })
  const replies = await atOnce(bodies, '/v1/auth/passkey/register')
  expect([countOf(replies, 200), countOf(replies, 409)]).toEqual([19, 11])
  const { credentials } = (await tenant.get(`/v1/webauthn/credentials?subOrgId=${subOrgId}&userId=${userId}`)).body
  expect(credentials).toHaveLength(20)
  expect(new Set(credentials.map((each: { credentialId: string }) => each.credentialId)).size).toBe(20)
})
