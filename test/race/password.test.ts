import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { newEmail, newPasswordUser, newUser } from '../people/people.ts'
import { startProcesses, untilHashed } from './processes.ts'

const app = await startApp()
const tenant = await app.tenant()
const processes = await startProcesses(app, 2)
const callers = processes.map((running) => running.as(tenant.key))
const subOrgId = await tenant.organization()
const PASSWORD = 'correct horse battery staple'

const login = (i: number, email: string, password: string) => {
  const caller = callers[i % callers.length]
  if (!caller) throw new Error('No process')
  return caller.post('/v1/auth/login/password', { subOrgId, email, password })
}

const atOnce = <T>(count: number, call: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => call(i)))

test('200 wrong passwords at once on two processes: ten are looked at, whether or not anybody has the address', async () => {
  const { email: known } = await newPasswordUser(tenant, { subOrgId, password: PASSWORD })
  for (const email of [known, newEmail()]) {
    const replies = await atOnce(200, (i) => login(i, email, `wrong ${i}`))
    const codes = Map.groupBy(replies, (reply) => reply.body.code)
    const count = (code: string) => codes.get(code)?.length ?? 0
    // Only checked passwords can be told from a locked address. The rest met the lock, or busy hashers in their process, as
    // some of the ten may on a busy machine.
    expect(count('invalid_credentials')).toBeLessThanOrEqual(10)
    expect(count('invalid_credentials') + count('unavailable')).toBeGreaterThanOrEqual(10)
    expect(count('invalid_credentials') + count('account_locked') + count('unavailable')).toBe(200)
  }
  // What of the ten a busy machine has left.
  for (let i = 0; i < 10; i++) await login(0, known, `late ${i}`)
  expect((await login(0, known, PASSWORD)).body.code).toBe('account_locked')
  const locked = await app.events({ accountId: tenant.accountId, type: 'user.locked' })
  expect(locked).toHaveLength(1)
  expect((await app.mails(known)).filter((mail) => mail.kind === 'account_locked')).toHaveLength(1)
})

test('right passwords at once all get in, and leave no count behind', async () => {
  const { email } = await newPasswordUser(tenant, { subOrgId, password: PASSWORD })
  const replies = await atOnce(8, (i) => untilHashed(() => login(i, email, PASSWORD)))
  expect(replies.map((reply) => reply.status)).toEqual(Array(8).fill(200))
  expect((await login(1, email, 'wrong')).status).toBe(401)
  expect((await login(0, email, PASSWORD)).status).toBe(200)
})

test('a password changed beside sign-ins with the old one leaves none of their sessions', async () => {
  const { id, email } = await newUser(tenant, { subOrgId })
  for (let round = 0; round < 5; round++) {
    await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: PASSWORD })
    const [set] = await Promise.all([
      tenant.put(`/v1/users/${id}/password`, { subOrgId, password: `another sentence ${round}` }),
      atOnce(6, (i) => login(i, email, PASSWORD)),
    ])
    expect(set.status).toBe(200)
    expect((await tenant.get(`/v1/sessions?subOrgId=${subOrgId}&userId=${id}`)).body.users).toEqual([])
    await tenant.post(`/v1/users/${id}/unlock`, { subOrgId })
  }
})
