import { expect, test } from 'vitest'
import { freshPassword } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail, newUser } from '../../../../test/people/people.ts'

const service = await startApp()
const tenant = await service.tenant()
const HOUR = 3600

/** The mails for an address at /dev/mail, newest first: the reason why a mail was not sent, or its subject. */
async function listed(email: string): Promise<(string | undefined)[]> {
  const { text } = await service.as(null).get('/dev/mail')
  const rows = text.split('<li ').filter((row) => row.includes(email))
  return rows.map((row) => /<strong>([^<]*)<\/strong>/.exec(row)?.[1])
}

async function idsOf(email: string): Promise<string[]> {
  const { text } = await service.as(null).get('/dev/mail')
  return text
    .split('<li ')
    .filter((row) => row.includes(email))
    .map((row) => /id="([^"]*)"/.exec(row)?.[1] ?? '')
}

test('development says why a suppressed address gets no mail, and shows none of it', async () => {
  const { subOrgId, email, id } = await newUser(tenant)
  const ask = async () => {
    // A code is not mailed again within a minute.
    await service.advance(61)
    succeeded(await tenant.post('/v1/auth/login/otp/send', { subOrgId, email }))
  }
  const report = (kind: string) => tenant.post('/v1/mail/bounces', { subOrgId, email, kind })
  await ask()
  for (let n = 0; n < 3; n++) {
    succeeded(await report('soft'))
    // Bounces within an hour count once.
    await service.advance(HOUR)
  }
  await ask()
  const full = 'Not sent: the address is suppressed: three soft bounces in 7 days'
  expect(await listed(email)).toEqual([full, 'Your sign-in code'])
  const [withheld, sent] = await idsOf(email)
  expect((await service.as(null).get(`/dev/mail/${withheld}`)).status).toBe(404)
  expect((await service.as(null).get(`/dev/mail/${sent}`)).status).toBe(200)
  await service.advance(24 * HOUR)
  await ask()
  succeeded(await report('complaint'))
  await ask()
  expect((await listed(email)).slice(0, 2)).toEqual([
    'Not sent: the address is suppressed: its owner reported a mail as spam',
    'Your sign-in code',
  ])
  succeeded(await tenant.put(`/v1/users/${id}/password`, { subOrgId, password: freshPassword() }))
  expect((await listed(email))[0]).toBe('Your password was changed')
})

test('scripts get nothing of a mail that a suppression withholds: no code, no link', async () => {
  const { subOrgId, email } = await newUser(tenant)
  const asked = { subOrgId, email }
  succeeded(await tenant.post('/v1/auth/login/otp/send', asked))
  await service.advance(61)
  succeeded(await tenant.post('/v1/mail/bounces', { ...asked, kind: 'hard' }))
  succeeded(await tenant.post('/v1/auth/login/otp/send', asked))
  succeeded(await tenant.post('/v1/auth/login/magic-link/send', asked))
  const { body } = await service.as(null).get(`/dev/mail?to=${email}`, { accept: 'application/json' })
  const hidden = { subject: null, text: null, links: [], withheld: 'the address is suppressed: it takes no mail' }
  const [link, code, sent] = body.messages
  const [stamp, to] = [{ id: expect.any(String), created_at: expect.any(String) }, email]
  expect([link, code]).toEqual([
    { ...stamp, to, kind: 'magic_link', ...hidden },
    { ...stamp, to, kind: 'login_otp', ...hidden },
  ])
  expect(body.messages).toHaveLength(3)
  expect(sent).toMatchObject({
    subject: 'Your sign-in code',
    text: expect.stringMatching(/^[a-z]+ [a-z]+$/m),
    withheld: null,
  })
})

test('what is suppressed in the whole environment is said of its mails, and of no other account’s', async () => {
  const email = newEmail()
  const person = await newUser(tenant, { email })
  const other = await service.tenant()
  const stranger = await newUser(other, { email })
  succeeded(await tenant.post('/v1/mail/bounces', { email, kind: 'hard' }))
  for (const [by, { subOrgId }] of [
    [tenant, person],
    [other, stranger],
  ] as const)
    succeeded(await by.post('/v1/auth/login/otp/send', { subOrgId, email }))
  expect(await listed(email)).toEqual(['Your sign-in code', 'Not sent: the address is suppressed: it takes no mail'])
})
