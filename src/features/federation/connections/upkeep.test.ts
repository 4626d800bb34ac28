import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { runJobs } from '../../../../test/people/jobs.ts'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'
import { maintainConnection, maintainDueConnections } from './upkeep.ts'

const app = await startApp()
const tenant = await app.tenant()
const { platform } = app.app

const DAY = 86_400
const SAML = { protocol: 'saml', idp_entity_id: 'urn:acme', idp_sso_url: 'https://idp.acme.example/sso' }

const certificate = async (daysFromNow: number) => {
  const from = new Date(platform.clock.now().getTime() + daysFromNow * DAY * 1000)
  return (await makeCertificate({ commonName: 'idp', years: 1, from })).certificatePem
}

async function lookAfter(): Promise<void> {
  await maintainDueConnections.handle(platform, {}, 1)
  await runJobs(platform, maintainConnection)
}

const told = async (type: string) =>
  (await app.events({ accountId: tenant.accountId, type: `sso.connection.${type}` })).map(({ data }) => data)

test('it is told 60, 30, 7 and 1 days ahead, and once when it has happened, that the last certificate expires', async () => {
  const subOrgId = await tenant.organization()
  const [first, last] = [await certificate(-330), await certificate(-290)]
  const body = { subOrgId, name: 'Acme', ...SAML, idp_certificate: [first, last] }
  const { id } = (await tenant.post('/v1/sso/connections', body)).body.connection
  const days: number[] = []
  // The later certificate is valid for 75 more days.
  for (let day = 0; day < 80; day++) {
    await app.advance(DAY)
    await lookAfter()
  }
  for (const data of await told('certificate_expiring')) days.push(Object(data).days)
  expect(days).toEqual([60, 30, 7, 1, 0])
  expect((await told('certificate_expiring'))[0]).toMatchObject({ id, name: 'Acme' })
  await tenant.patch(`/v1/sso/connections/${id}`, { subOrgId, idp_certificate: await certificate(-320) })
  await app.advance(DAY)
  await lookAfter()
  expect((await told('certificate_expiring')).length).toBe(6)
})

test('a connection that is changed more than once a day is looked after all the same', async () => {
  const subOrgId = await tenant.organization()
  const body = { subOrgId, name: 'Busy', ...SAML, idp_certificate: await certificate(-345) }
  const { id } = (await tenant.post('/v1/sso/connections', body)).body.connection
  for (let n = 0; n < 3; n++) {
    await app.advance(DAY * 0.6)
    await tenant.patch(`/v1/sso/connections/${id}`, { subOrgId, name: `Busy ${n}` })
  }
  await lookAfter()
  expect((await told('certificate_expiring')).filter((data) => Object(data).id === id)).toHaveLength(1)
})

test('a connection without certificates is left alone', async () => {
  const other = await app.tenant()
  const subOrgId = await other.organization()
  const { id } = (await other.post('/v1/sso/connections', { subOrgId, name: 'Acme', ...SAML })).body.connection
  const { next_check_at } = await platform.db
    .selectFrom('sso_connections')
    .select('next_check_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(next_check_at).toBeNull()
})
