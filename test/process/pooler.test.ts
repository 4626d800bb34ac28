import { expect, test } from 'vitest'
import { caller, onceFree, until } from '../harness.ts'
import { startPooler } from '../peers/pooler-peer.ts'
import { afterThisTest, productionSettings, startService } from './service.ts'

/** What a busy machine explains: a request is refused, and a job tries again. An error of PostgreSQL has a SQLSTATE. */
const NO_CONNECTION_FREE = /^Warning: (The service is busy|.* \(name=Error, code=NO_FREE_CONNECTION\)$)/m

test.each([
  ['without prepared statements', false],
  ['with prepared statements', true],
])('behind a pooler %s, two processes serve, mail and refresh, and nothing fails', async (_, keepsStatements) => {
  const { DATABASE_URL: directUrl, ...settings } = await productionSettings()
  const pooler = await startPooler(directUrl, { ignores: [], keepsStatements })
  afterThisTest(() => pooler.close())
  const key = settings['WATCHWORD_BOOTSTRAP_API_KEY'] ?? ''
  const service = await startService({
    ...settings,
    NODE_ENV: 'development',
    DATABASE_URL: pooler.url,
    WATCHWORD_DATABASE_DIRECT_URL: directUrl,
    WORKERS: '2',
  })
  await service.ready()
  const api = caller(service.baseUrl, key)
  const subOrgId = (await api.post('/v1/organizations', { name: 'Acme', slug: 'acme' })).body.subOrganization.id
  const emails = Array.from({ length: 60 }, (_, i) => `person-${i}@example.com`)
  const made = await Promise.all(emails.map((email) => onceFree(() => api.post('/v1/users', { subOrgId, email }))))
  expect(made.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([])

  const email = emails[0] ?? ''
  const { otp_id } = (await api.post('/v1/auth/login/otp/send', { subOrgId, email })).body
  const code = await until(async () => {
    const list = await (await fetch(`${service.baseUrl}/dev/mail`)).text()
    const path = /\/dev\/mail\/[0-9a-f-]{36}/.exec(list)?.[0]
    return path && (/^[a-z]+ [a-z]+$/m.exec(await (await fetch(`${service.baseUrl}${path}`)).text())?.[0] ?? null)
  })
  const { session } = (await api.post('/v1/auth/login/otp/verify', { subOrgId, email, otp_id, code })).body
  const refreshed = await api.post('/v1/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token })
  expect([refreshed.status, refreshed.body.session.user_id]).toEqual([200, session.user_id])

  // What one process changes, the other hears of.
  const { body } = await api.post('/v1/api-keys', { name: 'short-lived', scopes: ['users.read'] })
  const other = caller(service.baseUrl, body.key)
  expect((await other.get('/v1/users')).status).toBe(200)
  await api.delete(`/v1/api-keys/${body.apiKey.id}`)
  await until(async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, () => other.get('/v1/users')))
    return replies.every(({ status }) => status === 401)
  })
  expect((await service.readiness())?.status).toBe(200)
  const entries = (service.stdout() + service.stderr()).split(/\n(?=\S)/)
  expect(entries.filter((entry) => /Error|Warning/.test(entry) && !NO_CONNECTION_FREE.test(entry))).toEqual([])
})
