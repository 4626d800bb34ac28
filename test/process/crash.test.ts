import { decodeJwt } from 'jose'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startEmbedded } from '../../src/platform/db/embedded.ts'
import { caller, until } from '../harness.ts'
import { afterThisTest, databasePid, makeDataDir, startService } from './service.ts'

const KILLS = 20
const WRITERS = 4
const KEY = 'a-key-that-survives-every-crash-0123456789'

test(`${KILLS} kills under load lose no acknowledged write`, { timeout: 600_000 }, async () => {
  const dataDir = makeDataDir()
  const settings = { WATCHWORD_DATA_DIR: dataDir, WATCHWORD_BOOTSTRAP_API_KEY: KEY }
  const acknowledged: Acknowledged = { organizations: [], otps: [], sessions: [] }
  let serverPid: number | null = null
  for (let kill = 1; kill <= KILLS; kill++) {
    const service = await startService(settings)
    await service.ready()
    // The database outlives the process, and the next one takes it over.
    expect(databasePid(dataDir)).not.toBeNull()
    if (kill > 1) expect(databasePid(dataDir)).toBe(serverPid)
    serverPid = databasePid(dataDir)
    const writing = Promise.all(
      Array.from({ length: WRITERS }, (_, n) => write(service.baseUrl, `${kill}-${n}`, acknowledged)),
    )
    const before = { organizations: acknowledged.organizations.length, sessions: acknowledged.sessions.length }
    await until(
      async () =>
        acknowledged.organizations.length >= before.organizations + WRITERS &&
        acknowledged.sessions.length > before.sessions,
    )
    service.child.kill('SIGKILL')
    expect(await service.ended).toBe('SIGKILL')
    await writing
  }
  const database = await startEmbedded({ dataDir, log: () => undefined })
  afterThisTest(() => database.stop())
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const read = async (table: string) =>
    new Set((await client.query(`select id::text from ${table}`)).rows.map((row) => row.id))
  const [organizations, otps, sessions] = [await read('organizations'), await read('otps'), await read('sessions')]
  const halfLogins = await client.query(HALF_LOGINS)
  await client.end()
  expect(acknowledged.otps.length).toBeGreaterThanOrEqual(KILLS)
  expect(acknowledged.organizations.filter((id) => !organizations.has(id))).toEqual([])
  expect(acknowledged.otps.filter((id) => !otps.has(id))).toEqual([])
  expect(acknowledged.sessions.length).toBeGreaterThanOrEqual(KILLS)
  expect(acknowledged.sessions.filter((id) => !sessions.has(id))).toEqual([])
  expect(halfLogins.rows).toEqual([])
})

interface Acknowledged {
  organizations: string[]
  otps: string[]
  sessions: string[]
}

/** Users whose consumed sign-in codes and sessions differ in number. */
const HALF_LOGINS = `
  select u.email, burnt, made from users u
  cross join lateral (select count(*) as burnt from otps where user_id = u.id and used_at is not null) codes
  cross join lateral (select count(*) as made from sessions where user_id = u.id) logins
  where burnt <> made`

/** Writes until the service is gone, noting what it acknowledged. */
async function write(baseUrl: string, name: string, acknowledged: Acknowledged) {
  const api = caller(baseUrl, KEY)
  try {
    for (let n = 0; ; n++) {
      const organization = await api.post('/v1/organizations', { name, slug: `o-${name}-${n}` })
      if (organization.status !== 200) continue
      const subOrgId = organization.body.subOrganization.id
      acknowledged.organizations.push(subOrgId)
      const otp = await api.post('/v1/otp/generate', {})
      if (otp.status === 200) acknowledged.otps.push(otp.body.otp_id)
      const email = `${name}-${n}@example.com`
      await api.post('/v1/users', { subOrgId, email })
      const sent = await api.post('/v1/auth/login/otp/send', { subOrgId, email })
      const code = await readCode(baseUrl, email)
      const verify = { subOrgId, email, otp_id: sent.body.otp_id, code }
      const login = await api.post('/v1/auth/login/otp/verify', verify)
      if (login.status === 200) acknowledged.sessions.push(String(decodeJwt(login.body.session.access_token)['sid']))
    }
  } catch {
    // The connection broke: what was not acknowledged was not promised.
  }
}

/** The code that was mailed to an address, as a person reads it at /dev/mail. */
async function readCode(baseUrl: string, email: string): Promise<string> {
  const list = await (await fetch(`${baseUrl}/dev/mail`)).text()
  const row = list.split('<li>').find((text) => text.includes(email)) ?? ''
  const link = /href="([^"]+)"/.exec(row)?.[1] ?? '/dev/mail'
  const mail = await (await fetch(baseUrl + link)).text()
  return /^([a-z]+ [a-z]+)$/m.exec(mail)?.[1] ?? ''
}
