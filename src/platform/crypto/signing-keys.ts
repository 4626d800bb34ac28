import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto'
import type { JWTPayload } from 'jose'
// Imports single modules, because the whole library is four times as large.
import { jwtVerify } from 'jose/jwt/verify'
import { sql } from 'kysely'
import { boundedMap } from '../bounded-map.ts'
import { epochSeconds } from '../clock.ts'
import { now } from '../db/now.ts'
import type { Tx } from '../db/pool.ts'
import { newId } from '../ids.ts'
import { forEachPart } from '../jobs/parts.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { signJws } from './jws.ts'

export const signingAlgorithms = ['ES256', 'RS256', 'EdDSA'] as const
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/** The longest lifetime of an access token. */
export const MAX_ACCESS_TOKEN_SECONDS = 86_400
// A retired key stays published while tokens that it signed may be valid, plus one day for verifiers that cache it.
const RETIRED_SECONDS = MAX_ACCESS_TOKEN_SECONDS + 86_400
const ROTATION_AGE = "interval '90 days'"

/** RFC 7517 §4, with the members of the key's type. */
export interface PublicJwk extends JsonWebKey {
  kty: string
  kid: string
  alg: string
  use: string
}

export interface SigningKey {
  id: string
  algorithm: SigningAlgorithm
  state: string
  publicKey: KeyObject
  publicJwk: PublicJwk
  createdAt: Date
  activatedAt: Date | null
  retiredAt: Date | null
}

interface ActiveKey {
  algorithm: SigningAlgorithm
  privateKey: KeyObject
  /** The encoded header of tokens signed with the key. */
  header: string
}

/** The key with which an environment signs, and the keys that verifiers may trust. */
interface EnvironmentKeys {
  issuer: string
  active: ActiveKey
  published: SigningKey[]
}

const environmentKeys = perPlatform((platform) =>
  platform.caches.define<EnvironmentKeys | null>('signing_keys', (environmentId) => load(platform, environmentId)),
)

async function load(platform: Platform, environmentId: string): Promise<EnvironmentKeys | null> {
  // Foreign tables accounts, environments: each environment signs with its own keys, under its own issuer.
  const environment = await platform.db
    .selectFrom('environments')
    .innerJoin('accounts', 'accounts.id', 'environments.account_id')
    .select(['environments.slug', 'environments.issuer_name', 'environments.account_id', 'accounts.home'])
    .where('environments.id', '=', environmentId)
    .executeTakeFirst()
  if (!environment) return null
  let rows = await publishedRows(platform, environmentId)
  if (!rows.some((row) => row.state === 'active')) {
    await platform.keyring.prepare(environment.account_id)
    await platform.tx((tx) => makeFirstKeys(tx, platform, environmentId))
    rows = await publishedRows(platform, environmentId)
  }
  const active = rows.find((row) => row.state === 'active')
  if (!active) throw new Error('An environment without a signing key')
  const pem = await platform.keyring.open(sealedPlace(active.id, active.account_id), active.private_key_sealed)
  const algorithm = toAlgorithm(active.algorithm)
  // Base URL: the issuer of an access token begins with it.
  const { baseUrl } = platform.config
  return {
    // Production of the home account issues tokens under the base URL. Every other environment has its own issuer, so
    // that a staging token is never accepted as a production token.
    issuer:
      environment.home && environment.slug === 'production'
        ? baseUrl
        : `${baseUrl}/accounts/${environment.account_id}/${environment.issuer_name ?? environment.slug}`,
    active: {
      algorithm,
      privateKey: createPrivateKey(pem),
      header: encode({ alg: algorithm, typ: 'at+jwt', kid: active.id }),
    },
    published: rows.map(toSigningKey),
  }
}

function publishedRows(platform: Platform, environmentId: string) {
  return platform.db
    .selectFrom('signing_keys')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where((eb) =>
      eb.or([
        eb('state', '!=', 'retired'),
        eb('retired_at', '>', sql<Date>`clock_now() - make_interval(secs => ${RETIRED_SECONDS})`),
      ]),
    )
    .orderBy('created_at')
    .execute()
}

async function keysOf(platform: Platform, environmentId: string): Promise<EnvironmentKeys> {
  const keys = await environmentKeys(platform).get(environmentId)
  if (!keys) throw new Error('An environment that does not exist')
  return keys
}

/** The `iss` of an environment's tokens. Its JWKS and metadata are published below this URL. */
export async function issuerOf(platform: Platform, environmentId: string): Promise<string> {
  return (await keysOf(platform, environmentId)).issuer
}

/**
 * The published keys of an environment (RFC 7517), including the next key and retired keys whose tokens may still be
 * valid.
 */
export async function publicKeys(platform: Platform, environmentId: string): Promise<PublicJwk[]> {
  const { published } = await keysOf(platform, environmentId)
  return published.map((key) => key.publicJwk)
}

/** Signs an access token (RFC 9068: `typ` at+jwt). */
export async function signAccessToken(platform: Platform, environmentId: string, claims: JWTPayload): Promise<string> {
  const { issuer, active } = await keysOf(platform, environmentId)
  const input = `${active.header}.${encode({ iss: issuer, ...claims })}`
  return `${input}.${signJws(active.algorithm, active.privateKey, input)}`
}

/** The claims that every access token of this service has. A token without one of them is refused. */
export type AccessClaims = JWTPayload & Required<Pick<JWTPayload, 'iss' | 'sub' | 'aud' | 'exp'>>

/**
 * Returns the claims of a valid access token of this environment, or null. `kid` determines the algorithm, keys
 * embedded in the header are ignored, and `typ` and `iss` must be this service's (RFC 8725 §3).
 */
export async function verifyAccessToken(
  platform: Platform,
  environmentId: string,
  token: string,
): Promise<AccessClaims | null> {
  const { issuer, published } = await keysOf(platform, environmentId)
  const digest = digestOf(token)
  const known = verifiedTokens(platform).get(digest)
  if (known?.environmentId === environmentId) {
    // A right signature stays right, but its key may have been withdrawn or the token may have expired.
    return published.some((key) => key.id === known.keyId) && isCurrent(known.claims, platform) ? known.claims : null
  }
  const checked = await checkToken(platform, issuer, published, token)
  if (checked) verifiedTokens(platform).set(digest, { ...checked, environmentId })
  return checked?.claims ?? null
}

/** Whether this process has verified the token before, for any environment. The token may have expired meanwhile. */
export function wasVerified(platform: Platform, token: string): boolean {
  return verifiedTokens(platform).has(digestOf(token))
}

function digestOf(token: string): string {
  return hash('sha256', token, 'binary')
}

interface VerifiedToken {
  claims: AccessClaims
  keyId: string
}

// A backend introspects the same token with every request of its user, and verifying the signature is most of the
// cost.
const MAX_VERIFIED = 10_000
const verifiedTokens = perPlatform(() => boundedMap<VerifiedToken & { environmentId: string }>(MAX_VERIFIED))

function isCurrent(claims: AccessClaims, platform: Platform): boolean {
  // Process clock: it also set the times in the token's claims.
  const now = epochSeconds(platform.clock)
  return claims.exp > now && (claims.nbf ?? 0) <= now
}

async function checkToken(
  platform: Platform,
  issuer: string,
  published: SigningKey[],
  token: string,
): Promise<VerifiedToken | null> {
  // Process clock: it also set the times in the token's claims.
  const trusted = (header: { kid?: string; alg?: string }) =>
    published.find((candidate) => candidate.id === header.kid && candidate.algorithm === header.alg)
  try {
    const { payload, protectedHeader } = await jwtVerify<AccessClaims>(
      token,
      async (header) => {
        const key = trusted(header)
        if (!key) throw new Error('Unknown key')
        return key.publicKey
      },
      { issuer, typ: 'at+jwt', currentDate: platform.clock.now(), requiredClaims: ['sub', 'sid', 'exp', 'aud'] },
    )
    const key = trusted(protectedHeader)
    return key ? { claims: payload, keyId: key.id } : null
  } catch {
    return null
  }
}

/** Lists every signing key of an environment, oldest first. The list is empty until a key is first needed. */
export async function listSigningKeys(
  platform: Platform,
  environmentId: string,
): Promise<(SigningKey & { isWithdrawn: boolean })[]> {
  const rows = await platform.db
    .selectFrom('signing_keys')
    .selectAll()
    .select(sql<boolean>`coalesce(retired_at = '-infinity', false)`.as('is_withdrawn'))
    .where('environment_id', '=', environmentId)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({ ...toSigningKey(row), isWithdrawn: row.is_withdrawn }))
}

export interface RotationOptions {
  /** Withdraws the old keys at once. Every token signed with them becomes invalid. */
  emergency?: boolean
  /** The algorithm of keys created from now on. */
  algorithm?: SigningAlgorithm
}

/**
 * Makes the next key active and the active key retired, and creates a new next key. Verifiers see the next key long
 * before it signs. Returns the id of the active key.
 */
export async function rotateSigningKeys(
  platform: Platform,
  environmentId: string,
  options: RotationOptions = {},
): Promise<string> {
  await keysOf(platform, environmentId)
  const { account_id: accountId } = await platform.db
    .selectFrom('environments')
    .select('account_id')
    .where('id', '=', environmentId)
    .executeTakeFirstOrThrow()
  await platform.keyring.prepare(accountId)
  return platform.tx(async (tx) => {
    const environment = await lockEnvironment(tx, environmentId)
    const algorithm = options.algorithm ?? toAlgorithm(environment.signing_algorithm)
    // Foreign table environments: `signing_algorithm` belongs to the signing keys.
    await tx.updateTable('environments').set({ signing_algorithm: algorithm }).where('id', '=', environmentId).execute()
    const retiredAt = options.emergency ? sql<Date>`'-infinity'` : now
    await tx
      .updateTable('signing_keys')
      .set({ state: 'retired', retired_at: retiredAt })
      .where('environment_id', '=', environmentId)
      // In an emergency the next key is as suspect as the active key, and retired keys are withdrawn too.
      .where('state', 'in', options.emergency ? ['active', 'next', 'retired'] : ['active'])
      .execute()
    const promoted = await tx
      .updateTable('signing_keys')
      .set({ state: 'active', activated_at: now })
      .where('environment_id', '=', environmentId)
      .where('state', '=', 'next')
      .returning('id')
      .executeTakeFirst()
    const active = promoted?.id ?? (await insertKey(tx, platform, environment, { algorithm, state: 'active' }))
    await insertKey(tx, platform, environment, { algorithm, state: 'next' })
    await environmentKeys(platform).invalidate(tx, environmentId)
    return active
  })
}

/**
 * Rotates the keys of every environment whose active key is older than 90 days and whose next key was published at
 * least a day ago.
 */
export async function rotateDueSigningKeys(platform: Platform): Promise<number> {
  const due = await platform.db
    .selectFrom('signing_keys as active')
    .innerJoin('signing_keys as next', 'next.environment_id', 'active.environment_id')
    .select('active.environment_id')
    .where('active.state', '=', 'active')
    .where('next.state', '=', 'next')
    .where('active.activated_at', '<', sql<Date>`clock_now() - ${sql.raw(ROTATION_AGE)}`)
    .where('next.created_at', '<', sql<Date>`clock_now() - interval '24 hours'`)
    .execute()
  await forEachPart(
    due,
    ({ environment_id }) => environment_id,
    ({ environment_id }) => rotateSigningKeys(platform, environment_id),
  )
  return due.length
}

async function makeFirstKeys(tx: Tx, platform: Platform, environmentId: string): Promise<void> {
  const environment = await lockEnvironment(tx, environmentId)
  const algorithm = toAlgorithm(environment.signing_algorithm)
  const existing = await tx
    .selectFrom('signing_keys')
    .select('id')
    .where('environment_id', '=', environmentId)
    .where('state', '=', 'active')
    .executeTakeFirst()
  if (existing) return
  await insertKey(tx, platform, environment, { algorithm, state: 'active' })
  await insertKey(tx, platform, environment, { algorithm, state: 'next' })
}

function lockEnvironment(tx: Tx, environmentId: string) {
  // Foreign table environments: the lock of its row serializes changes of its keys.
  return tx
    .selectFrom('environments')
    .select(['id', 'account_id', 'signing_algorithm'])
    .where('id', '=', environmentId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

async function insertKey(
  tx: Tx,
  platform: Platform,
  environment: { id: string; account_id: string },
  { algorithm, state }: { algorithm: SigningAlgorithm; state: 'active' | 'next' },
): Promise<string> {
  const id = newId()
  const { publicKey, privateKey } = generateKeys(algorithm)
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  await tx
    .insertInto('signing_keys')
    .values({
      id,
      account_id: environment.account_id,
      environment_id: environment.id,
      algorithm,
      state,
      public_key_pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      private_key_sealed: await platform.keyring.seal(sealedPlace(id, environment.account_id), pem),
      activated_at: state === 'active' ? now : null,
    })
    .execute()
  return id
}

function generateKeys(algorithm: SigningAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    case 'RS256':
      return generateKeyPairSync('rsa', { modulusLength: 3072 })
    case 'EdDSA':
      return generateKeyPairSync('ed25519')
  }
}

function sealedPlace(id: string, accountId: string) {
  return { table: 'signing_keys', column: 'private_key_sealed', row: id, accountId }
}

function toAlgorithm(text: string): SigningAlgorithm {
  const algorithm = signingAlgorithms.find((name) => name === text)
  if (!algorithm) throw new Error(`Unknown signing algorithm ${text}`)
  return algorithm
}

type SigningKeyRow = Awaited<ReturnType<typeof publishedRows>>[number]

function toSigningKey(row: SigningKeyRow): SigningKey {
  const algorithm = toAlgorithm(row.algorithm)
  const publicKey = createPublicKey(row.public_key_pem)
  const jwk = publicKey.export({ format: 'jwk' })
  return {
    id: row.id,
    algorithm,
    state: row.state,
    publicKey,
    publicJwk: { ...jwk, kty: jwk.kty ?? '', kid: row.id, alg: algorithm, use: 'sig' },
    createdAt: row.created_at,
    activatedAt: row.activated_at,
    retiredAt: row.retired_at,
  }
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
