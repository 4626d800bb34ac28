import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp, until } from '../../../../test/harness.ts'
import { startDnsPeer } from '../../../../test/peers/dns-peer.ts'
import { runJobs, takeJobs } from '../../../../test/people/jobs.ts'
import { recheckDomain, recheckDueDomains } from './recheck.ts'

const dns = await startDnsPeer()
const app = await startApp({ env: { WATCHWORD_DNS_SERVER: dns.address } })
const { platform } = app.app
const tenant = await app.tenant()

const DAY = 24 * 3600
const PORTAL = '/v1/admin-portal'

async function runChecks(): Promise<void> {
  await recheckDueDomains.handle(platform, {}, 1)
  await runJobs(platform, recheckDomain)
}

/** Lets days pass, and runs the checks that are due. */
async function pass(days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    await app.advance(DAY)
    await runChecks()
  }
}

/** Lets days pass until a check has not found the domain's record, which takes about a week. */
async function passUntilMissing({ read }: { read: () => Promise<{ last_error: string | null }> }): Promise<void> {
  await until(async () => {
    await pass(1)
    return (await read()).last_error !== null
  })
}

async function makeVerified(name = `acme-${fresh()}.example`) {
  const organizationId = await tenant.organization()
  const key = await tenant.withKey({ subOrgId: organizationId })
  const { body } = await key.post(PORTAL, { action: 'add_domain', domain: name })
  const { id, verification } = body.domain
  dns.answers.set(verification.name, { texts: [verification.value] })
  await key.post(PORTAL, { action: 'verify_domain', domainId: id })
  const read = async () => (await key.get(PORTAL)).body.overview.domains[0]
  const eventTypes = async () => {
    const events = await app.events({ accountId: tenant.accountId })
    return events.filter((event) => event.target_id === id).map(({ type }) => type.replace('domain.', ''))
  }
  const asked = () => dns.asked.udp.filter((name) => name === verification.name).length
  return { organizationId, key, id, name, verification, read, eventTypes, asked }
}

test('a verified domain is checked about once a week, and stays while its record does', async () => {
  const { asked, read, eventTypes } = await makeVerified()
  await pass(6)
  expect(asked()).toBe(1)
  await pass(2)
  expect(asked()).toBe(2)
  await pass(8)
  expect(asked()).toBe(3)
  expect(await read()).toMatchObject({ status: 'verified', last_error: null })
  expect(await eventTypes()).toEqual(['added', 'verified'])
})

test('a domain is lost by four checks on four days without its record, and can be had again', async () => {
  const owner = await makeVerified()
  const { verification, read, eventTypes, key, id } = owner
  dns.answers.delete(verification.name)
  await passUntilMissing(owner)
  expect(await read()).toMatchObject({ status: 'verified', last_error: 'txt_not_found' })
  // Verifying by hand neither speeds this up nor postpones it.
  for (let i = 0; i < 5; i++) await key.post(PORTAL, { action: 'verify_domain', domainId: id })
  await runChecks()
  await pass(2)
  expect((await read()).status).toBe('verified')
  await pass(1)
  expect(await read()).toMatchObject({ status: 'failed', verified_at: null, last_error: 'txt_not_found' })
  const failures = Array(6).fill('verification_failed')
  expect(await eventTypes()).toEqual(['added', 'verified', ...failures, 'verification_lost'])
  const { subOrganization } = (await tenant.get(`/v1/organizations/${owner.organizationId}`)).body
  expect(subOrganization.domains).toEqual([])

  await pass(10)
  expect((await read()).status).toBe('failed')
  dns.answers.set(verification.name, { texts: [verification.value] })
  await key.post(PORTAL, { action: 'verify_domain', domainId: id })
  expect((await read()).status).toBe('verified')
})

test('another organization can have a domain that was lost', async () => {
  const { name, verification } = await makeVerified()
  dns.answers.delete(verification.name)
  await pass(11)
  const next = await makeVerified(name)
  expect((await next.read()).status).toBe('verified')
})

test('a record that is back in time ends the count', async () => {
  const owner = await makeVerified()
  const { verification, read, eventTypes } = owner
  dns.answers.delete(verification.name)
  await passUntilMissing(owner)
  await pass(2)
  dns.answers.set(verification.name, { texts: [verification.value] })
  await pass(1)
  expect(await read()).toMatchObject({ status: 'verified', last_error: null })
  dns.answers.delete(verification.name)
  await passUntilMissing(owner)
  await pass(2)
  expect((await read()).status).toBe('verified')
  expect(await eventTypes()).not.toContain('verification_lost')
})

test('a DNS that does not answer takes a domain only after thirty days', async () => {
  const owner = await makeVerified()
  const { verification, read, eventTypes } = owner
  dns.answers.set(verification.name, 'servfail')
  await passUntilMissing(owner)
  await pass(29)
  expect(await read()).toMatchObject({ status: 'verified', last_error: 'dns_unavailable' })
  await pass(1)
  expect(await read()).toMatchObject({ status: 'failed', last_error: 'dns_unavailable' })
  expect(await eventTypes()).toEqual(['added', 'verified', 'verification_failed', 'verification_lost'])
})

test('each domain is a job of its own, once a turn, and one that runs twice counts once', async () => {
  const owned = [await makeVerified(), await makeVerified()]
  for (const { verification } of owned) dns.answers.delete(verification.name)
  await app.advance(8 * DAY)
  await Promise.all([1, 2, 3].map(() => recheckDueDomains.handle(platform, {}, 1)))
  const jobs = await takeJobs(platform, recheckDomain)
  const mine = jobs.filter(({ domainId }) => owned.some(({ id }) => id === domainId))
  expect(mine).toHaveLength(2)
  for (let i = 0; i < 5; i++) for (const job of mine) await recheckDomain.handle(platform, job, 1)
  for (const { read, asked } of owned) {
    expect((await read()).status).toBe('verified')
    expect(asked()).toBe(2)
  }
})

test('a domain that was removed is checked no more; one of an archived organization is, and can be lost', async () => {
  const [removed, archived] = [await makeVerified(), await makeVerified()]
  await app.advance(8 * DAY)
  await recheckDueDomains.handle(platform, {}, 1)
  await removed.key.post(PORTAL, { action: 'remove_domain', domainId: removed.id })
  await tenant.delete(`/v1/organizations/${archived.organizationId}`)
  await runJobs(platform, recheckDomain)
  expect([removed.asked(), archived.asked()]).toEqual([1, 2])
  expect((await archived.read()).status).toBe('verified')
  dns.answers.delete(archived.verification.name)
  for (let turn = 0; turn < 4; turn++) {
    await app.advance(8 * DAY)
    await recheckDueDomains.handle(platform, {}, 1)
    await runJobs(platform, recheckDomain)
  }
  expect((await archived.read()).status).toBe('failed')
})
