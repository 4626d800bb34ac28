import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { directoryOfOrganization } from '../../platform/tenancy/directory.ts'
import { firstCheckpoint } from './checkpoint.ts'
import { csvRows } from './csv.ts'
import { jsonElements } from './json-elements.ts'
import { jsonLines } from './lines.ts'
import { isObject, personOf } from './person.ts'
import type { RawRecord } from './records.ts'
import { runImport } from './run.ts'
import { oneTarget } from './targets.ts'

const BATCH = 500
const CHUNK = 64 * 1024
const CHUNKS = 120
/** The number of chunks that a reader's streams may hold, out of 120. */
const MOST_AHEAD = 40

const csv = { delimiter: ',', columns: ['email', 'name'], hasHeader: false }
const padding = 'x'.repeat(200)
const readers: [string, (bytes: AsyncIterable<Buffer>) => AsyncGenerator<RawRecord>, string][] = [
  ['CSV', (bytes) => csvRows(bytes, csv), `ada@example.com,${padding}\n`],
  ['lines of JSON', jsonLines, `{"email":"ada@example.com","name":"${padding}"}\n`],
  ['a JSON document', (bytes) => jsonElements(bytes, []), `{"email":"ada@example.com","name":"${padding}"},\n`],
]

test.each(readers)('%s is read in pieces, as its records are taken', async (name, read, record) => {
  const text = record.repeat(Math.ceil(CHUNK / record.length))
  let chunks = 0
  async function* file() {
    if (name === 'a JSON document') yield Buffer.from('[')
    for (; chunks < CHUNKS; chunks++) yield Buffer.from(text)
    if (name === 'a JSON document') yield Buffer.from(`${record.replace(',\n', '')}]`)
  }
  const perChunk = text.length / record.length
  let [taken, mostAhead] = [0, 0]
  for await (const { value } of read(file())) {
    if (!isObject(value)) throw new Error('not a record')
    mostAhead = Math.max(mostAhead, chunks - ++taken / perChunk)
  }
  expect(taken).toBeGreaterThanOrEqual(CHUNKS * perChunk)
  expect(mostAhead).toBeLessThan(MOST_AHEAD)
})

test('an import takes no more rows of a file than one batch before these are committed', async () => {
  const service = await startApp()
  const { platform } = service.app
  const tenant = await service.tenant()
  const subOrgId = await tenant.organization()
  // The first request for an organization creates its directory.
  await tenant.get(`/v1/users?subOrgId=${subOrgId}`)
  const { accountId, environmentId } = tenant
  const environment = { accountId, environmentId, environmentSlug: 'production' }
  const directory = await directoryOfOrganization(platform, environment, subOrgId)
  const checkpoint = firstCheckpoint({ fingerprint: 'none', format: 'csv', directoryId: directory.id })
  const ROWS = 2300
  let [taken, mostHeld] = [0, 0]
  const saved: number[] = []
  async function* records(): AsyncGenerator<RawRecord> {
    for (let line = 1; line <= ROWS; line++) {
      mostHeld = Math.max(mostHeld, ++taken - checkpoint.counts.rows)
      yield { line, value: { email: `person${line}@example.com` } }
    }
  }
  const end = await runImport({
    ...{ platform, targets: oneTarget(directory, 'acme'), scope: null, unit: 'line', records: records() },
    ...{ passwords: 'none', dryRun: false, checkpoint },
    adapt: ({ value }) => personOf(isObject(value) ? value : {}, null),
    findOwnEmails: async () => new Set(),
    save: async ({ counts }) => void saved.push(counts.rows),
    report: { write: async () => 0, close: async () => undefined },
    progress: { read: () => undefined, show: () => undefined, end: () => undefined },
    isStopped: () => false,
  })
  expect([end, mostHeld, saved]).toEqual(['done', BATCH, [500, 1000, 1500, 2000, ROWS]])
  const { subOrganization } = (await tenant.get(`/v1/organizations/${subOrgId}`)).body
  const first = (await tenant.get(`/v1/users?subOrgId=${subOrgId}&limit=1&include_total=true`)).body
  expect([first.total, subOrganization.userCount]).toEqual([ROWS, ROWS])
})
