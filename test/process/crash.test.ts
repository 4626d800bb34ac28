import pg from 'pg'
import { expect, test } from 'vitest'
import { startEmbedded } from '../../src/platform/db/embedded.ts'
import { caller, until } from '../harness.ts'
import { afterThisTest, databasePid, makeDataDir, startService } from './service.ts'

const KILLS = 20
const WRITERS = 4
const KEY = 'a-key-that-survives-every-crash-0123456789'

test(`${KILLS} kills under load lose no acknowledged write`, { timeout: 180_000 }, async () => {
  const dataDir = makeDataDir()
  const settings = { WATCHWORD_DATA_DIR: dataDir, WATCHWORD_BOOTSTRAP_API_KEY: KEY }
  const acknowledged = { organizations: [] as string[], otps: [] as string[] }
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
    const before = acknowledged.organizations.length
    await until(async () => acknowledged.organizations.length >= before + WRITERS)
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
  const [organizations, otps] = [await read('organizations'), await read('otps')]
  await client.end()
  expect(acknowledged.otps.length).toBeGreaterThanOrEqual(KILLS)
  expect(acknowledged.organizations.filter((id) => !organizations.has(id))).toEqual([])
  expect(acknowledged.otps.filter((id) => !otps.has(id))).toEqual([])
})

/** Writes until the service is gone, noting what it acknowledged. */
async function write(baseUrl: string, name: string, acknowledged: { organizations: string[]; otps: string[] }) {
  const api = caller(baseUrl, KEY)
  try {
    for (let n = 0; ; n++) {
      const organization = await api.post('/v1/organizations', { name, slug: `o-${name}-${n}` })
      if (organization.status === 200) acknowledged.organizations.push(organization.body.subOrganization.id)
      const otp = await api.post('/v1/otp/generate', {})
      if (otp.status === 200) acknowledged.otps.push(otp.body.otp_id)
    }
  } catch {
    // The connection broke: what was not answered was not promised.
  }
}
