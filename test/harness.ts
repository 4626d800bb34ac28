import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { sql } from 'kysely'
import { afterAll, inject } from 'vitest'
import { createAccount } from '../src/features/tenancy/accounts/accounts.ts'
import { createApiKey } from '../src/features/tenancy/api-keys/api-keys.ts'
import { parseConfig } from '../src/platform/config/config.ts'
import { type MakeRsaPair, makeRsaPair } from '../src/platform/crypto/certificates.ts'
import { type MasterKey, parseMasterKey } from '../src/platform/crypto/master-key.ts'
import type { WaitingBounds } from '../src/platform/db/pool.ts'
import { busy } from '../src/platform/errors.ts'
import type { Mail } from '../src/platform/mail/compose.ts'
import { mailPlace } from '../src/platform/mail/outbox.ts'
import { createLog } from '../src/platform/observability/log.ts'
import { findDirectory } from '../src/platform/tenancy/directory.ts'
import { type App, buildApp } from '../src/wiring/app.ts'
import { administer, copyTemplate, databaseUrl } from './database.ts'
import { exchange } from './exchange.ts'
import { assertHeadersDeclared, assertMatchesContract } from './rules/contract.ts'

export interface Reply {
  status: number
  headers: Headers
  // Replies are read field by field by assertions; their shape is checked against openapi.json.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  text: string
}

/** Calls as one key: `as(key).post('/v1/…', body)`. */
export interface Caller {
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  delete(path: string, headers?: Record<string, string>, body?: unknown): Promise<Reply>
}

export interface Tenant extends Caller {
  accountId: string
  environmentId: string
  key: string
  /** A key of this account with other properties; returns a caller. */
  withKey(options: {
    scopes?: string[]
    subOrgId?: string
    environment?: 'production' | 'staging'
  }): Promise<Caller & { key: string }>
  /** Makes an organization; returns its id. */
  organization(slug?: string): Promise<string>
}

export interface TestApp {
  app: App
  baseUrl: string
  databaseUrl: string
  masterKey: MasterKey
  masterKeyText: string
  /** Every log line so far. */
  logLines: string[]
  as(key: string | null): Caller
  /** A fresh account with an org-wide production key of every scope. */
  tenant(): Promise<Tenant>
  /** Moves the clock of the process and of the database. */
  advance(seconds: number): Promise<void>
  /** Mails in the outbox, oldest first, decoys left out. */
  mails(to?: string): Promise<Mail[]>
  /** Types of events of a directory's or account's organization, in order. */
  events(filter: { accountId: string; type?: string }): Promise<EventRow[]>
  /** Waits until the stream of events shows all that was recorded before: it ends before the oldest open transaction. */
  settled(): Promise<void>
}

export interface EventRow {
  type: string
  actor_type: string
  actor_id: string | null
  target_id: string | null
  organization_id: string | null
  request_id: string | null
  data: unknown
  previous: unknown
}

export interface StartOptions {
  env?: Record<string, string>
  /** argon2id at the cost that is set, where a test asks what a hash is or how long it takes. */
  costlyHashes?: boolean
  /** The service's own bounds of locks and statements. */
  ownBounds?: boolean
  /** Other bounds of the waits for the database. */
  bounds?: Partial<WaitingBounds>
  /** The port to listen on, where others have to find the service at its own address. */
  port?: number
}

/** What a service in production needs of its environment. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  WATCHWORD_BASE_URL: 'https://auth.example.com',
  SMTP_URL: 'smtp://127.0.0.1:1',
  WATCHWORD_MAIL_FROM: 'login@example.com',
}

/** Starts the service in this process, on its own database, with a clock that tests can move. */
export async function startApp(options: StartOptions = {}): Promise<TestApp> {
  const name = `watchword_${randomUUID().replaceAll('-', '')}`
  const serverUrl = inject('serverUrl')
  await copyTemplate(serverUrl, inject('template'), name)
  const address = databaseUrl(serverUrl, name)
  const url = options.ownBounds ? address : patient(address)
  const masterKeyText = randomBytes(32).toString('base64')
  const masterKey = parseMasterKey(masterKeyText, 'test')
  const config = parseConfig({
    NODE_ENV: 'test',
    WATCHWORD_BASE_URL: `http://localhost:${options.port ?? 4000}`,
    // A file of tests asks more in a second than the people of a network do.
    WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
    ...options.env,
  })
  const logLines: string[] = []
  const timers = new Map<() => void, number>()
  let offsetMs = 0
  const app = await buildApp({
    config,
    databaseUrl: url,
    masterKeys: [masterKey],
    clock: {
      now: () => new Date(Date.now() + offsetMs),
      // Due when the clock is moved that far: on a busy machine nothing is late.
      startTimer(ms, due) {
        timers.set(due, offsetMs + ms)
        return () => void timers.delete(due)
      },
    },
    log: createLog({ logLevel: 'debug' }, { write: (line) => void logLines.push(line) }),
    strict: true,
    makeRsaPair: pairMadeBefore,
    ...(options.ownBounds ? {} : { bounds: { ...PATIENT_BOUNDS, ...options.bounds } }),
    ...(options.costlyHashes ? {} : { hashCost: { memoryKib: 64, iterations: 1, parallelism: 1 } }),
  })
  await installMovableClock(app)
  await app.server.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  const bound = app.server.server.address()
  const baseUrl = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`
  afterAll(async () => {
    await closeApp(app)
    logLines.length = 0
    await administer(serverUrl, `drop database if exists ${name} with (force)`)
  })
  const as = (key: string | null) => caller(baseUrl, key)
  return {
    app,
    baseUrl,
    databaseUrl: url,
    masterKey,
    masterKeyText,
    logLines,
    as,
    tenant: () => makeTenant(app, as),
    async advance(seconds) {
      offsetMs += seconds * 1000
      for (const [due, at] of [...timers]) if (at <= offsetMs) due()
      await sql`update test_clock set ahead = ahead + make_interval(secs => ${seconds})`.execute(app.platform.db)
    },
    mails: mailReader(app),
    events: (filter) => readEvents(app, filter),
    settled: () => settled(app),
  }
}

const RSA_PAIRS = 8
const rsaPairs: ReturnType<MakeRsaPair>[] = []
let rsaPairsGiven = 0

/** A few pairs in turn, for all the environments of a process: each takes a fifth of a second to make. */
function pairMadeBefore(): ReturnType<MakeRsaPair> {
  const at = rsaPairsGiven++ % RSA_PAIRS
  const pair = rsaPairs[at] ?? makeRsaPair()
  rsaPairs[at] = pair
  return pair
}

/** Closes it and lets go of its parts: files of tests stay loaded until the process ends, and what they hold with them. */
export async function closeApp(app: App): Promise<void> {
  await app.close()
  for (const part of Object.keys(app)) Reflect.deleteProperty(app, part)
}

/** Waits a minute for a lock or a statement, longer than the service would: what a busy machine makes late is no refusal. */
/** Longer than those of locks and statements. */
export const PATIENT_BOUNDS = { answerMs: 65_000, requestMs: 65_000, fullMs: 65_000 }

function patient(address: string): string {
  const url = new URL(address)
  for (const name of ['lock_timeout', 'statement_timeout']) url.searchParams.set(name, '60000')
  return url.href
}

async function installMovableClock(app: App): Promise<void> {
  await sql`create table test_clock (ahead interval not null)`.execute(app.platform.db)
  await sql`insert into test_clock values ('0')`.execute(app.platform.db)
  await sql`create or replace function clock_now() returns timestamptz language sql stable as
    'select date_trunc(''milliseconds'', now()) + (select ahead from public.test_clock)'`.execute(app.platform.db)
}

/** A caller of a service at any URL, without a key if that is null. */
export function caller(baseUrl: string, key: string | null): Caller {
  const call = async (
    method: string,
    path: string,
    body: unknown,
    extra: Record<string, string> = {},
  ): Promise<Reply> => {
    const headers: Record<string, string> = { ...(key ? { 'x-api-key': key } : {}), ...extra }
    if (body !== undefined) headers['content-type'] ??= 'application/json'
    const payload = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await exchange(baseUrl + path, method, headers, payload)
    const isJson = /[/+]json\b/.test(answer.headers.get('content-type') ?? '')
    const reply = { ...answer, body: isJson ? JSON.parse(answer.text) : null }
    assertMatchesContract(method, path, reply.status, reply.body)
    assertHeadersDeclared(method, path, reply.status, reply.headers)
    return reply
  }
  return {
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    delete: (path, headers, body) => call('DELETE', path, body, headers),
  }
}

async function makeTenant(app: App, as: (key: string | null) => Caller): Promise<Tenant> {
  const { platform } = app
  const account = await platform.tx((tx) => createAccount(tx, `Test ${randomUUID()}`))
  const { accountId } = account
  const makeKey = async (options: Parameters<Tenant['withKey']>[0]) => {
    const environment = options.environment ?? 'production'
    const { key } = await createApiKey(platform, platform.db, {
      accountId,
      environmentId: environment === 'production' ? account.productionId : account.stagingId,
      environmentSlug: environment,
      organizationId: options.subOrgId ?? null,
      name: 'test',
      scopes: options.scopes ?? ['*'],
      expiresAt: null,
      requestsPerSecond: null,
      createdBy: 'test',
    })
    return { ...as(key), key }
  }
  const own = await makeKey({})
  return {
    ...own,
    accountId,
    environmentId: account.productionId,
    withKey: makeKey,
    async organization(slug = `org-${randomUUID().slice(0, 8)}`) {
      const reply = await own.post('/v1/organizations', { name: slug, slug })
      if (reply.status !== 200) throw new Error(`No organization: ${reply.text}`)
      return reply.body.subOrganization.id
    },
  }
}

/** Reads the outbox; each mail is opened once, since a test may look at hundreds again and again. */
function mailReader(app: App): TestApp['mails'] {
  const { platform } = app
  const opened = new Map<string, Mail & { decoy: boolean }>()
  const open = async (ids: string[]) => {
    for (const row of await platform.db.selectFrom('mail_outbox').selectAll().where('id', 'in', ids).execute()) {
      const directory = await findDirectory(platform, row.directory_id)
      if (!directory) throw new Error('A mail without a directory')
      const mail = JSON.parse(await platform.keyring.open(mailPlace(directory, row.id), row.message_sealed))
      opened.set(row.id, { kind: row.kind, ...mail })
    }
  }
  return async (to) => {
    const waiting = await platform.db.selectFrom('mail_outbox').select('id').orderBy('id').execute()
    const unread = waiting.map(({ id }) => id).filter((id) => !opened.has(id))
    if (unread.length) await open(unread)
    const mails = waiting.map(({ id }) => opened.get(id)).filter((mail) => mail !== undefined)
    return mails.filter((mail) => !mail.decoy && (to === undefined || mail.to === to)).map((mail) => ({ ...mail }))
  }
}

async function readEvents(app: App, filter: { accountId: string; type?: string }): Promise<EventRow[]> {
  return app.platform.db
    .selectFrom('events')
    .innerJoin('directories', 'directories.id', 'events.directory_id')
    .select(['type', 'actor_type', 'actor_id', 'target_id', 'organization_id', 'request_id', 'data', 'previous'])
    .where('directories.account_id', '=', filter.accountId)
    .$if(filter.type !== undefined, (query) => query.where('type', '=', filter.type ?? ''))
    .orderBy('events.id')
    .execute()
}

async function settled({ platform: { db } }: App): Promise<void> {
  const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(db)
  await until(async () => {
    const isPast = sql<boolean>`pg_snapshot_xmin(pg_current_snapshot()) > ${rows[0]?.id}::xid8`
    return (await db.selectNoFrom(isPast.as('isPast')).executeTakeFirstOrThrow()).isPast
  }, 60_000)
}

/** Waits until a condition of another process holds. Fails after the deadline. */
export async function until<T>(probe: () => Promise<T | null | undefined | false>, deadlineMs = 30_000): Promise<T> {
  const end = Date.now() + deadlineMs
  for (;;) {
    const value = await probe()
    if (value) return value
    if (Date.now() > end) throw new Error('The condition did not come true in time')
    await once(AbortSignal.timeout(20), 'abort')
  }
}

/** Again where no connection became free in time, which a busy machine explains, and only that. */
export function onceFree(call: () => Promise<Reply>): Promise<Reply> {
  return until(async () => {
    const reply = await call()
    return reply.body?.detail !== busy().details.detail && reply
  }, 60_000)
}
