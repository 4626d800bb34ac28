import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { findNearest } from '../nearest.ts'
import { isException, isNetwork, readExceptions } from '../outbound/addresses.ts'
import { ConfigError } from './config-error.ts'
import {
  readSocial,
  readSocialCallback,
  type SocialCallback,
  type SocialConfig,
  type SocialName,
  socialVariables,
} from './config-social.ts'

export { ConfigError } from './config-error.ts'

/** The validated configuration of one process. */
export interface Config {
  production: boolean
  /**
   * Neither production nor a test. In development, test domains verify themselves and programs on this machine may be
   * called.
   */
  development: boolean
  port: number
  /** The public address of the service, without a trailing slash. */
  baseUrl: string
  /** Null for the embedded database in `dataDir`. */
  databaseUrl: string | null
  /** The address of the database itself, if `databaseUrl` leads to a pooler in front of it. */
  databaseDirectUrl: string | null
  dataDir: string
  smtpUrl: string | null
  mailFrom: string
  /** DKIM selector of the mail server; null if unknown. */
  mailDkimSelector: string | null
  /** Null if SMS is not configured. Development then stores the messages instead of sending them. */
  sms: SmsProvider | null
  /** 32-byte keys in base64. New data is wrapped with the first. Empty if the keys come from a file. */
  masterKeys: string[]
  masterKeyFile: string | null
  bootstrapApiKey: string | null
  metricsPort: number
  metricsHost: string
  trustProxy: string[]
  outboundAllow: string[]
  dnsServer: string | null
  /** The deployment's own applications at social providers. */
  social: Record<SocialName, SocialConfig>
  /**
   * The redirect URI of the applications in `social`. Null means shared if the deployment is older than the providers'
   * own redirect URIs.
   */
  socialCallback: SocialCallback | null
  /** Rate limit of API keys that have no limit of their own, or null for none. */
  keyRequestsPerSecond: number | null
  /** Rate limit for requests without a credential from one client network, or null for none. */
  networkRequestsPerSecond: number | null
  /** The limit on the cost of a password hash, in MiB of memory × passes of argon2id. */
  passwordCostLimit: number
  migrateOnStart: boolean
  workers: number
  /** How long events are kept. */
  eventRetentionDays: number
  logLevel: LogLevel
  /** Whether log lines are text for people instead of JSON. */
  logForPeople: boolean
}

/** The parsed WATCHWORD_SMS_URL. */
export interface SmsProvider {
  /** The URL without credentials and query. */
  endpoint: string
  username: string
  password: string
  sender: { parameter: 'From' | 'MessagingServiceSid'; value: string }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
type LogLevel = (typeof LOG_LEVELS)[number]

/** Every variable that the service reads, with the description that the documentation and `doctor` show. */
export const variables: Record<string, string> = {
  PORT: 'Public listener. Default 4000',
  WATCHWORD_BASE_URL: 'Public address, such as https://auth.example.com; required in production',
  DATABASE_URL: 'PostgreSQL 15 or later; absent: the embedded database',
  WATCHWORD_DATABASE_DIRECT_URL: 'the database itself, where DATABASE_URL leads to a connection pooler',
  WATCHWORD_DATA_DIR: 'Directory of the embedded database. Default ./.watchword/data',
  SMTP_URL: 'Mail server, such as smtp://user:password@mail.example.com:587; absent in development: /dev/mail',
  WATCHWORD_MAIL_FROM: 'Sender of emails, such as Acme <login@acme.com>; required with SMTP_URL',
  WATCHWORD_MAIL_DKIM_SELECTOR: 'DKIM selector of the mail server, such as mail2026, which doctor looks up',
  WATCHWORD_SMS_URL:
    'Twilio-compatible REST endpoint with credentials and sender; absent: no SMS (development: /dev/mail)',
  WATCHWORD_MASTER_KEY: '32 bytes as base64; several, separated by commas, during a rotation (the first writes)',
  WATCHWORD_MASTER_KEY_FILE: 'File with the same; in development it is created if missing',
  WATCHWORD_BOOTSTRAP_API_KEY: 'Key of at least 32 characters, stored at start if the deployment has none',
  WATCHWORD_METRICS_PORT: 'Private listener with /metrics and /readyz. Default 4001',
  WATCHWORD_METRICS_HOST: 'Address of the private listener. Default 127.0.0.1',
  WATCHWORD_TRUST_PROXY: 'CIDRs of proxies whose forwarded headers are trusted, separated by commas',
  WATCHWORD_OUTBOUND_ALLOW:
    'Private hosts or CIDRs that outbound HTTP may reach, also without https, separated by commas',
  WATCHWORD_DNS_SERVER: 'Address of the resolver for domain checks, such as 10.0.0.2; absent: the system’s',
  ...socialVariables,
  WATCHWORD_KEY_REQUESTS_PER_SECOND: 'Limit of requests per second for each API key; absent: none',
  WATCHWORD_NETWORK_REQUESTS_PER_SECOND:
    'Limit of requests per second without a credential for each client network; 0: none. Default 50',
  WATCHWORD_PASSWORD_COST_LIMIT: 'What a password hash may cost, in MiB of memory × passes of argon2id. Default 1024',
  WATCHWORD_MIGRATE_ON_START: 'false: refuse to start on an older schema instead of migrating. Default true',
  WATCHWORD_EVENT_RETENTION_DAYS: 'Days that events are kept. Default 400',
  WORKERS: 'Processes on this machine. Default 1',
  LOG_LEVEL: `${LOG_LEVELS.join(', ')}. Default info`,
  LOG_FORMAT: 'json or text; text in development, else json',
  NODE_ENV: 'production, development (default) or test, which is development for tests; nothing else',
}

/** Reads the environment. In development, `.env` supplies variables that are missing. */
export function loadConfig(): Config {
  const file = resolve('.env')
  return parseConfig(readEnvironment(file))
}

/** The problems of the environment, and the configuration that results without the invalid settings. */
export interface ExaminedConfig {
  config: Config
  problems: string[]
  /** Names of settings whose value in the environment is not used. */
  invalid: Set<string>
}

/** Reads the environment and collects every problem. `loadConfig` throws at the first one. */
export function examineConfig(): ExaminedConfig {
  const problems: string[] = []
  const instead: NodeJS.ProcessEnv = {}
  for (;;)
    try {
      const config = parseConfig({ ...readEnvironment(resolve('.env'), instead), ...instead })
      return { config, problems, invalid: new Set(Object.keys(instead)) }
    } catch (error) {
      if (!(error instanceof ConfigError) || problems.includes(error.message)) throw error
      problems.push(error.message)
      Object.assign(instead, error.instead)
    }
}

function readEnvironment(file: string, instead: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const env = { ...process.env, ...instead }
  const fromFile = readMode(env) !== 'production' && existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}
  return { ...fromFile, ...env }
}

/** Lists every setting and whether it is set. Leaves out the values, because some are secret. */
export function listSettings(file = '.env'): { name: string; isSet: boolean; description: string }[] {
  const env = readEnvironment(file)
  return Object.entries(variables).map(([name, description]) => ({ name, isSet: Boolean(env[name]), description }))
}

/** Validates settings. Throws ConfigError for the first invalid one. */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const mode = readMode(env)
  const production = mode === 'production'
  refuseUnknownNames(env)
  const text = (name: string) => env[name]?.trim() || null
  const port = readInteger(env, 'PORT', { byDefault: 4000, min: 0, max: 65535 })
  const smtpUrl = readUrl(env, 'SMTP_URL', ['smtp:', 'smtps:'])
  const mailFrom = text('WATCHWORD_MAIL_FROM')
  if (smtpUrl && !mailFrom)
    throw new ConfigError('SMTP_URL is set without WATCHWORD_MAIL_FROM: set the sender, such as Acme <login@acme.com>.')
  const outboundAllow = [...readOutboundAllow(env), ...(mode === 'development' ? LOOPBACK : [])]
  return Object.freeze({
    production,
    development: mode === 'development',
    port,
    baseUrl: readBaseUrl(env, production, port),
    databaseUrl: readUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    databaseDirectUrl: readUrl(env, 'WATCHWORD_DATABASE_DIRECT_URL', ['postgres:', 'postgresql:']),
    dataDir: resolve(text('WATCHWORD_DATA_DIR') ?? '.watchword/data'),
    smtpUrl,
    mailFrom: mailFrom ?? 'Watchword <watchword@localhost>',
    mailDkimSelector: readDkimSelector(text('WATCHWORD_MAIL_DKIM_SELECTOR')),
    sms: readSmsUrl(env, outboundAllow),
    masterKeys: readList(env, 'WATCHWORD_MASTER_KEY'),
    masterKeyFile: text('WATCHWORD_MASTER_KEY_FILE'),
    bootstrapApiKey: readBootstrapKey(text('WATCHWORD_BOOTSTRAP_API_KEY')),
    metricsPort: readInteger(env, 'WATCHWORD_METRICS_PORT', { byDefault: 4001, min: 0, max: 65535 }),
    metricsHost: text('WATCHWORD_METRICS_HOST') ?? '127.0.0.1',
    trustProxy: readCidrs(env, 'WATCHWORD_TRUST_PROXY'),
    outboundAllow,
    dnsServer: readDnsServer(text('WATCHWORD_DNS_SERVER')),
    social: readSocial(env, outboundAllow),
    socialCallback: readSocialCallback(env),
    keyRequestsPerSecond: text('WATCHWORD_KEY_REQUESTS_PER_SECOND')
      ? readInteger(env, 'WATCHWORD_KEY_REQUESTS_PER_SECOND', { byDefault: 0, min: 1, max: 1_000_000 })
      : null,
    networkRequestsPerSecond:
      readInteger(env, 'WATCHWORD_NETWORK_REQUESTS_PER_SECOND', { byDefault: 50, min: 0, max: 1_000_000 }) || null,
    // The minimum allows the cheapest hash, the maximum ten passes over 256 MiB.
    passwordCostLimit: readInteger(env, 'WATCHWORD_PASSWORD_COST_LIMIT', { byDefault: 1024, min: 38, max: 2560 }),
    migrateOnStart: readBoolean(env, 'WATCHWORD_MIGRATE_ON_START', true),
    // The revocation feed covers 30 days, and the database refuses to delete events younger than 35 days.
    eventRetentionDays: readInteger(env, 'WATCHWORD_EVENT_RETENTION_DAYS', { byDefault: 400, min: 35, max: 36_500 }),
    workers: readInteger(env, 'WORKERS', { byDefault: 1, min: 1, max: 64 }),
    logLevel: readLogLevel(text('LOG_LEVEL')),
    logForPeople: readLogFormat(text('LOG_FORMAT'), env),
  })
}

/** What development may reach in addition to public addresses: programs on this machine. */
const LOOPBACK = ['localhost', '127.0.0.0/8', '::1']

const MODES = ['production', 'development', 'test'] as const

/** Throws ConfigError for an unknown mode. Run as development, a mistyped `prod` would print a key and show mails. */
function readMode(env: Record<string, string | undefined>): (typeof MODES)[number] {
  const text = env['NODE_ENV']?.trim() || 'development'
  const mode = MODES.find((name) => name === text)
  if (!mode)
    throw new ConfigError(`NODE_ENV is ${text}: use production or development (or test).`, { NODE_ENV: 'production' })
  return mode
}

function readLogLevel(value: string | null): LogLevel {
  const level = LOG_LEVELS.find((name) => name === (value ?? 'info'))
  if (!level) throw new ConfigError(`LOG_LEVEL is ${value}: use one of ${LOG_LEVELS.join(', ')}.`)
  return level
}

function readLogFormat(value: string | null, env: Record<string, string | undefined>): boolean {
  const format = value ?? (readMode(env) === 'development' ? 'text' : 'json')
  if (format !== 'text' && format !== 'json') throw new ConfigError(`LOG_FORMAT is ${value}: use json or text.`)
  return format === 'text'
}

function readInteger(
  env: Record<string, string | undefined>,
  name: string,
  { byDefault, min, max }: { byDefault: number; min: number; max: number },
) {
  const value = env[name]?.trim()
  if (!value) return byDefault
  const number = Number(value)
  if (!Number.isInteger(number) || number < min || number > max)
    throw new ConfigError(`${name} is ${value}: use a whole number from ${min} to ${max}.`)
  return number
}

function readBoolean(env: Record<string, string | undefined>, name: string, fallback: boolean): boolean {
  const value = env[name]?.trim()
  if (!value) return fallback
  if (value !== 'true' && value !== 'false') throw new ConfigError(`${name} is ${value}: use true or false.`)
  return value === 'true'
}

function readList(env: Record<string, string | undefined>, name: string): string[] {
  return (env[name] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function readCidrs(env: Record<string, string | undefined>, name: string): string[] {
  const list = readList(env, name)
  for (const item of list) {
    // A hop count or `true` would trust any peer, which could then forge forwarded headers.
    if (!isNetwork(item))
      throw new ConfigError(`${name} has ${item}: use addresses or CIDRs such as 10.0.0.0/8, separated by commas.`)
  }
  return list
}

function readDnsServer(value: string | null): string | null {
  if (value === null) return null
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+|[\da-f:]+?))(?::(\d{1,5}))?$/i.exec(value) ?? []
  const isServer = isIP(value) > 0 || isIP(bracketed ?? '') === 6 || isIP(plain ?? '') === 4
  if (isServer && (port === undefined || (Number(port) > 0 && Number(port) < 65_536))) return value
  throw new ConfigError(
    `WATCHWORD_DNS_SERVER is ${value}: use the address of one server, such as 10.0.0.2, 10.0.0.2:5353 or [fd00::2]:5353.`,
  )
}

function readDkimSelector(value: string | null): string | null {
  // RFC 6376 §3.1: labels of a domain name.
  if (value === null || /^[a-z\d]([a-z\d-]{0,62})(\.[a-z\d]([a-z\d-]{0,62}))*$/i.test(value)) return value
  throw new ConfigError(`WATCHWORD_MAIL_DKIM_SELECTOR is ${value}: use the selector alone, such as mail2026.`)
}

function readOutboundAllow(env: Record<string, string | undefined>): string[] {
  const list = readList(env, 'WATCHWORD_OUTBOUND_ALLOW')
  for (const item of list)
    if (!isException(item))
      throw new ConfigError(
        `WATCHWORD_OUTBOUND_ALLOW has ${item}: use hosts without port, addresses or CIDRs such as 10.0.0.0/8, separated by commas.`,
      )
  return list
}

const SMS_FORM = 'https://ACCOUNT_SID:AUTH_TOKEN@api.twilio.com/2010-04-01/Accounts/ACCOUNT_SID/Messages.json?From=%2B…'

function readSmsUrl(env: Record<string, string | undefined>, outboundAllow: string[]): SmsProvider | null {
  const name = 'WATCHWORD_SMS_URL'
  const value = readUrl(env, name, ['https:', 'http:'])
  if (value === null) return null
  const url = new URL(value)
  const exceptions = readExceptions(outboundAllow)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (url.protocol === 'http:' && !exceptions.host(host) && !exceptions.address(host))
    throw new ConfigError(`${name} is not https: use https, or add its host to WATCHWORD_OUTBOUND_ALLOW.`)
  const [username, password] = [decodePart(name, url.username), decodePart(name, url.password)]
  if (!username || !password) throw new ConfigError(`${name} has no credentials: write ${SMS_FORM}`)
  const sender = readSmsSender(url)
  return { endpoint: `${url.origin}${url.pathname}`, username, password, sender }
}

// A phone number, a short code, or a name of letters and digits.
const SMS_FROM = /^(\+[1-9]\d{6,14}|\d{3,8}|(?=.*[a-z])[a-z\d &_-]{1,11})$/i

function readSmsSender(url: URL): SmsProvider['sender'] {
  const [[parameter, given] = ['', ''], ...more] = url.searchParams
  // In a URL, a + that is not encoded as %2B is decoded as a space.
  const value = given.replace(/^ (?=\d+$)/, '+')
  if (more.length === 0 && !url.hash) {
    if (parameter === 'From' && SMS_FROM.test(value)) return { parameter, value }
    if (parameter === 'MessagingServiceSid' && /^[\w-]{1,64}$/.test(value)) return { parameter, value }
  }
  throw new ConfigError(
    'WATCHWORD_SMS_URL names no sender: end it with ?From=%2B15005550006 or ?MessagingServiceSid=MG…, and nothing else.',
  )
}

function decodePart(name: string, text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError(`${name} has a % in its credentials that is not written as %25: correct it.`)
  }
}

function readUrl(env: Record<string, string | undefined>, name: string, protocols: string[]): string | null {
  const value = env[name]?.trim()
  if (!value) return null
  // pg's form for a Unix socket, postgresql://user:password@/name?host=/path, has no host, so it is not a WHATWG URL.
  const parsed = URL.canParse(value) ? new URL(value) : URL.parse(value.replace('@/', '@localhost/'))
  if (!parsed || !protocols.includes(parsed.protocol))
    // The value may contain a password, so the message does not quote it.
    throw new ConfigError(
      `${name} is not a URL that starts with ${protocols.map((each) => `${each}//`).join(' or ')}: correct it.`,
    )
  return value
}

function readBaseUrl(env: Record<string, string | undefined>, production: boolean, port: number): string {
  const value = env['WATCHWORD_BASE_URL']?.trim()
  if (!value) {
    if (production)
      throw new ConfigError(
        'WATCHWORD_BASE_URL is missing: set the public address, such as https://auth.example.com.',
        {
          WATCHWORD_BASE_URL: 'https://localhost',
        },
      )
    return `http://localhost:${port}`
  }
  const parsed = URL.parse(value)
  if (!parsed || !['https:', 'http:'].includes(parsed.protocol) || parsed.search || parsed.hash || parsed.username)
    throw new ConfigError(
      // A password in the value must not reach a log.
      `WATCHWORD_BASE_URL is ${value.includes('@') ? 'an address with a user name' : value}: use an address such as https://auth.example.com.`,
      { WATCHWORD_BASE_URL: 'https://localhost' },
    )
  return parsed.href.replace(/\/+$/, '')
}

function readBootstrapKey(value: string | null): string | null {
  if (value && value.length < 32)
    throw new ConfigError('WATCHWORD_BOOTSTRAP_API_KEY is too short: use at least 32 random characters.')
  // A key copied from an example is public (ASVS 6.3.2).
  if (value && (/change-?_?me|replace-?_?me/i.test(value) || new Set(value).size < 8))
    throw new ConfigError('WATCHWORD_BOOTSTRAP_API_KEY looks like a sample: use at least 32 random characters.')
  return value
}

function refuseUnknownNames(env: Record<string, string | undefined>): void {
  for (const name of Object.keys(env)) {
    if (!name.startsWith('WATCHWORD_') || name in variables || env[name] === undefined) continue
    if (OF_CLIENTS.includes(name)) continue
    // Compared without the prefix. Otherwise WATCHWORD_PORT would be closer to other WATCHWORD_… names than to PORT.
    const known = new Map(Object.keys(variables).map((each) => [withoutPrefix(each), each]))
    const nearest = known.get(findNearest(withoutPrefix(name), [...known.keys()]) ?? '')
    const hint = nearest ? `did you mean ${nearest}?` : '`npx watchword doctor --variables` lists them.'
    throw new ConfigError(`${name} is not a setting of Watchword: ${hint}`)
  }
}

/** Variables that the guides and examples use for clients: the service's address, its issuer and a key. */
const OF_CLIENTS = ['WATCHWORD_URL', 'WATCHWORD_KEY', 'WATCHWORD_ISSUER']

function withoutPrefix(name: string): string {
  return name.replace(/^WATCHWORD_/, '')
}
