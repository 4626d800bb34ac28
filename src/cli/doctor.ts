import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { type Config, type ExaminedConfig, examineConfig, listSettings } from '../platform/config/config.ts'
import { assertBootstrapKey } from '../platform/crypto/bootstrap-key.ts'
import { openKeyring } from '../platform/crypto/keyring.ts'
import { loadMasterKeys, missingDevelopmentKey } from '../platform/crypto/master-key.ts'
import { describePending, migrationStatus } from '../platform/db/migrate.ts'
import { type Database, openDatabase } from '../platform/db/pool.ts'
import { findPooler, type Pooler } from '../platform/db/pooler.ts'
import { reachDatabase } from '../platform/db/reach.ts'
import { startEmbedded } from '../platform/embedded/embedded.ts'
import { hasDatabase } from '../platform/embedded/home.ts'
import { type DeploymentState, readDeployment } from '../platform/lifecycle/deployment.ts'
import { assertWorkersServed } from '../process/embedded-workers.ts'
import { explainStartFailure } from '../process/start-failure.ts'
import { findOpenConnections } from './doctor-encryption.ts'
import { examineMailDomain } from './doctor-mail.ts'
import { findAccessBesideProvisioning } from './doctor-provisioning.ts'
import { findSharedRedirects } from './doctor-redirects.ts'
import { print } from './print.ts'

type State = 'ok' | 'warning' | 'problem'

interface Finding {
  check: string
  state: State
  /** What was found, and for a problem what to do about it. */
  detail: string
}

/** `report` receives the exit code: 1 if there is a problem. */
export function addDoctor(program: Command, report: (exitCode: number) => void): void {
  program
    .command('doctor')
    .description('check the configuration and everything the service needs, without changing anything')
    .option('--json', 'print JSON for scripts')
    .option('--variables', 'list all settings and which of them are set; check nothing')
    .addHelpText(
      'after',
      '\nSends no email and no SMS. Exits with 1 if there is a problem.\n\nExample:\n  $ npx watchword doctor && npm start',
    )
    .action(async (options: { json?: boolean; variables?: boolean }) => {
      if (options.variables) return listVariables(options)
      const findings = await examine()
      const lines = findings.map(({ check, state, detail }) => `${state.padEnd(8)} ${check.padEnd(14)} ${detail}`)
      print(options, { findings }, lines)
      report(findings.some(({ state }) => state === 'problem') ? 1 : 0)
    })
}

function listVariables(options: { json?: boolean }): void {
  const listed = listSettings()
  const width = Math.max(...listed.map(({ name }) => name.length))
  const lines = listed.map(
    ({ name, isSet, description }) => `${isSet ? 'set' : '-  '} ${name.padEnd(width)} ${description}`,
  )
  print(options, { variables: listed }, lines)
}

interface Check {
  name: string
  /** Settings that the check depends on. If one of them is invalid, the check is skipped. */
  settings?: string[]
  examine(): Finding | Finding[] | Promise<Finding | Finding[]>
  /** A finding that is reported if the check itself fails. */
  otherwise?(): Finding
}

/** Runs every check, regardless of the results of others. */
async function examine(): Promise<Finding[]> {
  const examined = examineConfig()
  const { config, problems, invalid } = examined
  const findings = problems.map((detail): Finding => ({ check: 'configuration', state: 'problem', detail }))
  const mode = config.production ? 'production' : 'development'
  if (problems.length === 0)
    findings.push({ check: 'configuration', state: 'ok', detail: `Every setting is valid; mode ${mode}.` })
  for (const check of checksOf(config, invalid)) findings.push(...(await run(check, examined)))
  return findings
}

async function run({ name, settings = [], examine, otherwise }: Check, { config, invalid }: ExaminedConfig) {
  const withAlternative = (finding: Finding) => [finding, ...(otherwise ? [otherwise()] : [])]
  const unread = settings.find((setting) => invalid.has(setting))
  if (unread)
    return withAlternative({ check: name, state: 'warning', detail: `Not checked: see configuration on ${unread}.` })
  try {
    return [await examine()].flat()
  } catch (error) {
    return withAlternative(failed(name, error, config))
  }
}

function checksOf(config: Config, invalid: Set<string>): Check[] {
  const isEmbedded = !config.databaseUrl && !invalid.has('DATABASE_URL')
  const { bootstrapApiKey: key } = config
  return [
    ...(isEmbedded && !invalid.has('WORKERS') ? [refused(() => assertWorkersServed(config))] : []),
    ...(key && !invalid.has('WATCHWORD_BOOTSTRAP_API_KEY') ? [refused(() => assertBootstrapKey(key))] : []),
    { name: 'Node', examine: examineNode },
    { name: 'base URL', settings: ['WATCHWORD_BASE_URL'], examine: () => examineBaseUrl(config) },
    { name: 'passwords', settings: ['WATCHWORD_PASSWORD_COST_LIMIT'], examine: () => examinePasswords(config) },
    ...(isEmbedded ? [{ name: 'data directory', examine: () => examineDataDir(config) }] : []),
    {
      name: 'database',
      settings: ['DATABASE_URL', 'WATCHWORD_DATABASE_DIRECT_URL'],
      examine: () => examineDatabase(config),
      otherwise: () => examineMasterKeySetting(config),
    },
    { name: 'mail', settings: ['SMTP_URL'], examine: () => examineMail(config) },
    {
      name: 'mail domain',
      settings: ['SMTP_URL', 'WATCHWORD_MAIL_DKIM_SELECTOR', 'WATCHWORD_DNS_SERVER'],
      examine: () => examineMailDomain(config),
    },
    { name: 'SMS', settings: ['WATCHWORD_SMS_URL'], examine: () => examineSms(config) },
  ]
}

/** Problems that prevent a start although each setting is valid by itself. */
function refused(assert: () => void): Check {
  return {
    name: 'configuration',
    examine() {
      assert()
      return []
    },
  }
}

function examineNode(): Finding {
  const found = process.versions.node
  if (Number(found.split('.')[0]) >= 24) return { check: 'Node', state: 'ok', detail: `Version ${found}.` }
  return { check: 'Node', state: 'problem', detail: `Version ${found}: use 24 or later.` }
}

function examinePasswords({ passwordCostLimit }: Config): Finding {
  const detail = `A hash costs at most ${passwordCostLimit} MiB of memory × passes (WATCHWORD_PASSWORD_COST_LIMIT).`
  return { check: 'passwords', state: 'ok', detail }
}

function examineBaseUrl({ baseUrl, production }: Config): Finding {
  const { protocol, hostname } = new URL(baseUrl)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (production && protocol !== 'https:' && !isLocal)
    return {
      check: 'base URL',
      state: 'problem',
      detail: `${baseUrl} is not https: set WATCHWORD_BASE_URL to the https address.`,
    }
  if (production && isLocal)
    return {
      check: 'base URL',
      state: 'warning',
      detail: `${baseUrl} works only on this machine, and mailed links will point there.`,
    }
  return { check: 'base URL', state: 'ok', detail: baseUrl }
}

const LEAST_FREE_BYTES = 1024 ** 3

function examineDataDir({ dataDir }: Config): Finding {
  const check = 'data directory'
  const existing = nearestExisting(dataDir)
  try {
    accessSync(existing, constants.W_OK)
  } catch {
    const detail = `This user cannot write to ${existing}: change its owner, or set WATCHWORD_DATA_DIR.`
    return { check, state: 'problem', detail }
  }
  const { bavail, bsize } = statfsSync(existing)
  const free = `${(Number(bavail * bsize) / LEAST_FREE_BYTES).toFixed(1)} GiB free`
  if (bavail * bsize < LEAST_FREE_BYTES)
    return { check, state: 'warning', detail: `${dataDir} has ${free}: free some space.` }
  return {
    check,
    state: 'ok',
    detail: `${dataDir}${existing === dataDir ? '' : ' (created at the first start)'}, ${free}.`,
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path))
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  // The check must not create a database.
  if (!config.databaseUrl && !hasDatabase(config.dataDir))
    return [
      { check: 'database', state: 'ok', detail: 'Embedded, created at the first start.' },
      examineMasterKeySetting(config),
    ]
  const embedded = config.databaseUrl
    ? null
    : await startEmbedded({ dataDir: config.dataDir, role: 'command', log: () => undefined })
  try {
    const pooler = config.databaseUrl ? await findPooler(config.databaseUrl, config.databaseDirectUrl) : null
    const database = openDatabase(pooler?.directUrl ?? config.databaseUrl ?? embedded?.url ?? '', { maxConnections: 1 })
    try {
      return [
        ...describePooler(pooler),
        ...(await examineOpenDatabase(config, database)),
        ...(await examineEncryption(config)),
      ]
    } finally {
      await database.close()
    }
  } finally {
    await embedded?.stop()
  }
}

async function examineEncryption(config: Config): Promise<Finding[]> {
  const check = 'encryption'
  try {
    const found = await findOpenConnections(config)
    return found.map((detail): Finding => ({ check, state: 'warning', detail }))
  } catch (error) {
    // Returned instead of thrown, so that findings from the database are not lost.
    return [failed(check, error, config)]
  }
}

function describePooler(pooler: Pooler | null): Finding[] {
  if (!pooler) return []
  const detail = pooler.keepsStatements
    ? 'A pooler is in front of the database. It keeps prepared statements.'
    : 'A pooler is in front of the database. It keeps no prepared statements, so each statement is planned again, which costs some speed.'
  return [{ check: 'pooler', state: 'ok', detail }]
}

async function examineOpenDatabase(config: Config, database: Database): Promise<Finding[]> {
  const { version } = await reachDatabase(database.url, { patienceMs: 0 })
  const { migrations, isBehind } = await examineMigrations(config, database)
  return [
    await examineWriting(database, `PostgreSQL ${version}${config.databaseUrl ? '' : ', embedded'}.`),
    await examineClock(database),
    migrations,
    // A schema that is not migrated may lack the tables.
    isBehind ? examineMasterKeySetting(config) : await examineMasterKey(config, database),
    ...(isBehind
      ? []
      : [
          ...(await examineDeployment(database)),
          ...(await examineProvisioning(database)),
          ...(await examineRedirects(config, database)),
        ]),
  ]
}

async function examineMigrations(
  config: Config,
  { url }: Database,
): Promise<{ migrations: Finding; isBehind: boolean }> {
  const check = 'migrations'
  try {
    const { pending, unknown } = await migrationStatus(url)
    const isBehind = pending.length > 0
    if (unknown.length > 0) {
      const detail = `${unknown.join(', ')} belong to a newer release: start that release.`
      return { migrations: { check, state: 'problem', detail }, isBehind }
    }
    if (!isBehind) return { migrations: { check, state: 'ok', detail: 'The schema is up to date.' }, isBehind }
    const detail = `${describePending(pending)} not applied: run \`npx watchword migrate\`, or start the service.`
    return { migrations: { check, state: config.migrateOnStart ? 'warning' : 'problem', detail }, isBehind }
  } catch (error) {
    return { migrations: failed(check, error, config), isBehind: true }
  }
}

async function examineRedirects(config: Config, { db }: Database): Promise<Finding[]> {
  const check = 'redirect URIs'
  const shared = await findSharedRedirects(config, db)
  if (shared.length === 0) return [{ check, state: 'ok', detail: 'Every provider has its own.' }]
  return shared.map(
    (detail): Finding => ({ check, state: 'warning', detail: `Shared by several providers. ${detail}` }),
  )
}

async function examineDeployment({ db }: Database): Promise<Finding[]> {
  const state = await readDeployment(db)
  const outgoing = describeOutgoing(state)
  // A copy is in another cluster too.
  if (!state.isMoved || state.isCopy) return [outgoing]
  const detail =
    'The database was promoted or restored to a point in time, and the service has not noticed it yet. If it may have lost transactions, run `npx watchword recover`.'
  return [outgoing, { check: 'timeline', state: 'warning', detail }]
}

function describeOutgoing({ hold, isCopy }: DeploymentState): Finding {
  const check = 'outgoing'
  const cure =
    isCopy || hold?.because === 'copied'
      ? 'If you restored a backup, run `npx watchword recover` first. Then run `npx watchword outgoing release`.'
      : 'To send them, run `npx watchword outgoing release`.'
  if (hold) {
    const detail = `Mails, SMS and webhooks are held since ${hold.since.toISOString()}. ${cure}`
    return { check, state: 'warning', detail }
  }
  if (!isCopy) return { check, state: 'ok', detail: 'Mails, SMS and webhooks are sent.' }
  const detail = `The database is a restored backup or a copy: the service holds mails, SMS and webhooks from its next start, or within 5 seconds if it runs. ${cure}`
  return { check, state: 'warning', detail }
}

async function examineWriting({ pool }: Database, detail: string): Promise<Finding> {
  const { rows } = await pool.query<{ reads: boolean; waits: boolean }>(
    `select current_setting('transaction_read_only') = 'on' as reads, exists (
      select from pg_stat_activity where wait_event = 'SyncRep' and query_start < clock_timestamp() - interval '4 seconds'
    ) as waits`,
  )
  if (rows[0]?.waits)
    return {
      check: 'database',
      state: 'problem',
      detail: `${detail} Commits wait for a synchronous standby: start it, or take it out of synchronous_standby_names.`,
    }
  if (!rows[0]?.reads) return { check: 'database', state: 'ok', detail }
  const cure =
    'It is a standby, default_transaction_read_only is on, or a synchronous standby is lost. Set DATABASE_URL to the primary, turn the setting off, or start the standby.'
  return { check: 'database', state: 'problem', detail: `${detail} It is read-only. ${cure}` }
}

async function examineClock({ pool }: Database): Promise<Finding> {
  const before = Date.now()
  const { rows } = await pool.query<{ ms: number }>('select extract(epoch from clock_timestamp())::float8 * 1000 as ms')
  const after = Date.now()
  const skewSeconds = Math.abs((rows[0]?.ms ?? 0) - (before + after) / 2) / 1000
  if (skewSeconds <= 2)
    return { check: 'clock', state: 'ok', detail: 'This machine and the database agree on the time.' }
  const detail = `The clocks of this machine and the database differ by ${skewSeconds.toFixed(1)} s: synchronize both with NTP.`
  return { check: 'clock', state: 'warning', detail }
}

function examineMasterKeySetting(config: Config): Finding {
  try {
    const file = missingDevelopmentKey(config)
    if (file) return { check: 'master key', state: 'ok', detail: `Created at the first start, in ${file}.` }
    const [first] = loadMasterKeys(config)
    return { check: 'master key', state: 'ok', detail: `Valid (${first?.id}).` }
  } catch (error) {
    return failed('master key', error, config)
  }
}

async function examineMasterKey(config: Config, { db }: Database): Promise<Finding> {
  const setting = examineMasterKeySetting(config)
  const sealed = await db.selectFrom('data_keys').select('id').limit(1).executeTakeFirst()
  if (setting.state === 'problem' || !sealed) return setting
  if (setting.detail.startsWith('Created'))
    return {
      ...setting,
      state: 'problem',
      detail: 'The database has encrypted values, but no master key is set: restore the key that encrypted them.',
    }
  try {
    const [first] = loadMasterKeys(config)
    await openKeyring(db, loadMasterKeys(config))
    return { check: 'master key', state: 'ok', detail: `Opens this database (${first?.id}).` }
  } catch (error) {
    return failed('master key', error, config)
  }
}

async function examineProvisioning({ db }: Database): Promise<Finding[]> {
  const found = await findAccessBesideProvisioning(db)
  return found.map((detail): Finding => ({ check: 'SSO', state: 'warning', detail }))
}

async function examineMail(config: Config): Promise<Finding> {
  const { checkMailServer, describeMail } = await import('../platform/mail/smtp.ts')
  await checkMailServer(config)
  const { ok, line } = describeMail(config)
  return { check: 'mail', state: ok ? 'ok' : 'problem', detail: line }
}

async function examineSms(config: Config): Promise<Finding> {
  const { describeSms } = await import('../platform/sms/provider.ts')
  return { check: 'SMS', state: 'ok', detail: describeSms(config) }
}

function failed(check: string, error: unknown, config: Config | null): Finding {
  const detail = explainStartFailure(error, config) ?? (error instanceof Error ? error.message : String(error))
  return { check, state: 'problem', detail }
}
