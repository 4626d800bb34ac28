import { createPrivateKey } from 'node:crypto'
import { readExceptions } from '../outbound/addresses.ts'
import { ConfigError } from './config-error.ts'

/** A deployment's application at a social provider, for organizations that have no application of their own there. */
export interface SocialConfig {
  /** The provider's address, or null for its well-known address. */
  url: string | null
  clientId: string | null
  /** The client secret, or for Apple the private key that signs one. */
  secret: string | null
  /** Set for Apple only. */
  teamId: string | null
  keyId: string | null
  /** Set for Microsoft only: the kinds of accounts that may sign in. */
  tenant: string | null
}

/** The registered redirect URIs of the deployment's applications: one for each provider, or the shared one. */
export type SocialCallback = (typeof CALLBACKS)[number]
const CALLBACKS = ['provider', 'shared'] as const

export type SocialName = (typeof SOCIAL_NAMES)[number]
export const SOCIAL_NAMES = ['google', 'github', 'apple', 'microsoft'] as const

type Env = Record<string, string | undefined>

const CLIENT = 'Client ID of the deployment’s own application at'
const SECRET = 'Client secret of the same'

/** The variables, with the description that the documentation and `doctor` show. */
export const socialVariables: Record<string, string> = {
  WATCHWORD_SOCIAL_GOOGLE_CLIENT_ID: `${CLIENT} Google, for organizations without one; absent: none`,
  WATCHWORD_SOCIAL_GOOGLE_CLIENT_SECRET: SECRET,
  WATCHWORD_SOCIAL_GOOGLE_URL: 'Issuer. Default https://accounts.google.com',
  WATCHWORD_SOCIAL_GITHUB_CLIENT_ID: `${CLIENT} GitHub; absent: none`,
  WATCHWORD_SOCIAL_GITHUB_CLIENT_SECRET: SECRET,
  WATCHWORD_SOCIAL_GITHUB_URL: 'GitHub, such as a GitHub Enterprise Server. Default https://github.com',
  WATCHWORD_SOCIAL_MICROSOFT_CLIENT_ID: `${CLIENT} Microsoft; absent: none`,
  WATCHWORD_SOCIAL_MICROSOFT_CLIENT_SECRET: SECRET,
  WATCHWORD_SOCIAL_MICROSOFT_TENANT: 'common, organizations, consumers, or the ID of one tenant. Default common',
  WATCHWORD_SOCIAL_MICROSOFT_URL:
    'Identity platform, such as a national cloud. Default https://login.microsoftonline.com',
  WATCHWORD_SOCIAL_APPLE_CLIENT_ID: 'Services ID of the deployment’s own application at Apple; absent: none',
  WATCHWORD_SOCIAL_APPLE_TEAM_ID: 'Team ID of the same',
  WATCHWORD_SOCIAL_APPLE_KEY_ID: 'Key ID of the same',
  WATCHWORD_SOCIAL_APPLE_PRIVATE_KEY: 'Private key of the same: the text of the .p8 file, line breaks also as \\n',
  WATCHWORD_SOCIAL_APPLE_URL: 'Issuer. Default https://appleid.apple.com',
  WATCHWORD_SOCIAL_CALLBACK:
    'Redirect URI of these applications: provider, or shared. Default provider; shared in deployments of earlier releases',
}

/**
 * Reads the variables. Throws ConfigError for the first invalid one, and if a provider's credentials are incomplete.
 */
export function readSocial(env: Env, outboundAllow: readonly string[]): Record<SocialName, SocialConfig> {
  const read = (name: SocialName) => readProvider(env, name, outboundAllow)
  return { google: read('google'), github: read('github'), apple: read('apple'), microsoft: read('microsoft') }
}

/** Null means the default, which depends on the age of the deployment. Throws ConfigError. */
export function readSocialCallback(env: Env): SocialCallback | null {
  const value = env['WATCHWORD_SOCIAL_CALLBACK']?.trim() || null
  const known = CALLBACKS.find((each) => each === value) ?? null
  if (value !== null && known === null)
    throw new ConfigError(`WATCHWORD_SOCIAL_CALLBACK is ${value}: use provider or shared.`)
  return known
}

function readProvider(env: Env, name: SocialName, outboundAllow: readonly string[]): SocialConfig {
  const prefix = `WATCHWORD_SOCIAL_${name.toUpperCase()}`
  const text = (part: string) => env[`${prefix}_${part}`]?.trim() || null
  const needed = name === 'apple' ? ['CLIENT_ID', 'TEAM_ID', 'KEY_ID', 'PRIVATE_KEY'] : ['CLIENT_ID', 'CLIENT_SECRET']
  const missing = needed.find((part) => text(part) === null)
  if (missing && needed.some((part) => text(part) !== null))
    throw new ConfigError(
      `${prefix}_${missing} is missing: set it with the other credentials of the application.`,
      Object.fromEntries(needed.map((part) => [`${prefix}_${part}`, undefined])),
    )
  const tenant = text('TENANT')
  if (tenant !== null && !isTenant(tenant))
    throw new ConfigError(
      `${prefix}_TENANT is ${tenant}: use common, organizations, consumers, or the ID of a tenant, which is a UUID.`,
    )
  const secret = text(name === 'apple' ? 'PRIVATE_KEY' : 'CLIENT_SECRET')?.replaceAll('\\n', '\n') ?? null
  if (name === 'apple' && secret !== null && !isAppleKey(secret))
    throw new ConfigError(`${prefix}_PRIVATE_KEY is no key of P-256 in PEM: set the text of the .p8 file.`)
  return {
    url: readAddress(`${prefix}_URL`, text('URL'), outboundAllow),
    clientId: text('CLIENT_ID'),
    secret,
    teamId: text('TEAM_ID'),
    keyId: text('KEY_ID'),
    tenant: tenant?.toLowerCase() ?? null,
  }
}

/** Whether the text is a valid value for Microsoft's tenant: a group of account types, or one tenant. */
export function isTenant(text: string): boolean {
  return /^(common|organizations|consumers|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i.test(text)
}

/** Whether the text is the content of Apple's .p8 file, which is a P-256 private key in PEM. */
export function isAppleKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

function readAddress(name: string, value: string | null, outboundAllow: readonly string[]): string | null {
  if (value === null) return null
  const url = URL.parse(value)
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.search || url.hash || url.username)
    throw new ConfigError(`${name} is ${value}: use an address such as https://github.example.com.`)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const exceptions = readExceptions(outboundAllow)
  if (url.protocol === 'http:' && !exceptions.host(host) && !exceptions.address(host))
    throw new ConfigError(`${name} is not https: use https, or add its host to WATCHWORD_OUTBOUND_ALLOW.`)
  return url.href.replace(/\/+$/, '')
}
