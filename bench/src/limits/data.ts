import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { uuidArray } from '../../../src/platform/db/arrays.ts'
import { newId } from '../../../src/platform/ids.ts'
import { type Bench, oncePerRun } from '../bench.ts'
import type { LoadRequest } from '../load.ts'
import { query } from '../postgres.ts'
import { createOrganization, getDeployment, makeEmails, post } from '../product/deployment.ts'
import { hashArray } from './joined.ts'
import { makeKeyedHash } from './keyed-hash.ts'
import { challengeProof, codeOf, linkProof, type Proof } from './proofs.ts'
import { makeSecret } from './refresh-token.ts'

const script = new URL('./server.ts', import.meta.url)

/** The server of the limits on the product's own database, and an organization there. */
export const getLimits = oncePerRun(async (bench: Bench) => {
  const { databaseUrl, watchword, headers } = await getDeployment(bench)
  const subOrgId = await createOrganization(bench)
  const [hashKey, sealKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
  const { baseUrl } = await bench.server(script, {
    DATABASE_URL: databaseUrl,
    LIMIT_API_KEY: watchword.apiKey,
    LIMIT_HASH_KEY: hashKey,
    LIMIT_SEAL_KEY: sealKey,
  })
  const secret = randomBytes(20)
  const sealedSecret = sealOf(sealKey, secret)
  return { databaseUrl, baseUrl, headers, subOrgId, keyedHash: makeKeyedHash(hashKey), secret, sealedSecret }
})

function sealOf(key: string, secret: Buffer): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key, 'hex'), nonce)
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

interface Person {
  email: string
  id: string
  /** Of what proves them. */
  proofId: string
  token: string
}

/** Fresh users, whose mailbox has been proved or not. */
async function preparePeople(bench: Bench, count: number, isVerified: boolean): Promise<Person[]> {
  const { databaseUrl, subOrgId } = await getLimits(bench)
  // As long as the product's tokens, which begin with the directory.
  const people = makeEmails(count).map((email) => ({
    email,
    id: newId(),
    proofId: newId(),
    token: newId().slice(0, 22) + makeSecret().toString('base64url'),
  }))
  await query(
    databaseUrl,
    `insert into users (directory_id, id, environment_id, email, email_norm, email_verified, source)
     select directories.id, made.id, environment_id, email, email, $4, 'bulk'
     from directories, unnest($2::uuid[], $3::text[]) as made (id, email) where organization_id = $1
       and environment_id = (select id from environments where slug = 'production' and account_id = directories.account_id)`,
    [subOrgId, uuidArray(people.map(({ id }) => id)), people.map(({ email }) => email), isVerified],
  )
  return people
}

/** Writes a row for each person; `made` has their ids, those of the proofs, and two hashes: of the address, of the proof. */
async function addProofs(bench: Bench, insert: string, people: Person[], hashOf: (person: Person) => string) {
  const { databaseUrl, keyedHash } = await getLimits(bench)
  await query(
    databaseUrl,
    `${insert} from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[]) as made (id, user_id, identity, hash)
       join users on users.id = made.user_id`,
    [
      uuidArray(people.map(({ proofId }) => proofId)),
      uuidArray(people.map(({ id }) => id)),
      hashArray(people.map(({ email }) => keyedHash('identity', email))),
      hashArray(people.map(hashOf)),
    ],
  )
}

/** Fresh users whose mailbox has been proved, with a sign-in link each: the requests that redeem the links. */
export async function prepareLinks(bench: Bench, count: number): Promise<LoadRequest[]> {
  const { subOrgId, keyedHash } = await getLimits(bench)
  const people = await preparePeople(bench, count, true)
  await addProofs(
    bench,
    `insert into links (directory_id, id, purpose, user_id, identity, token_hash, expires_at)
     select directory_id, made.id, 'magic_link', user_id, identity, hash, clock_now() + interval '15 minutes'`,
    people,
    ({ token }) => keyedHash(linkProof.name, token),
  )
  await bench.settle()
  return people.map(({ email, token }) => post('/sign-in/link', { email, token, subOrgId }))
}

/** Fresh users with a sign-in code each: the requests that redeem the codes. */
export async function prepareCodes(bench: Bench, count: number, proof: Proof): Promise<LoadRequest[]> {
  const { subOrgId, keyedHash } = await getLimits(bench)
  const people = await preparePeople(bench, count, !proof.isFirst)
  const token = 'brave otter'
  await addProofs(
    bench,
    `insert into otps (directory_id, id, purpose, user_id, identity, phrase_hash, max_attempts, expires_at)
     select directory_id, made.id, 'login', user_id, identity, hash, 5, clock_now() + interval '15 minutes'`,
    people,
    ({ proofId }) => keyedHash(proof.name, proofId + token),
  )
  await bench.settle()
  return people.map(({ email, proofId }) => post(`/sign-in/${proof.name}`, { email, otp_id: proofId, token, subOrgId }))
}

/** Fresh users with an authenticator app and a challenge each: the requests that pass the challenges. */
export async function prepareChallenges(bench: Bench, count: number): Promise<LoadRequest[]> {
  const { databaseUrl, subOrgId, keyedHash, sealedSecret, secret } = await getLimits(bench)
  const people = await preparePeople(bench, count, true)
  await query(
    databaseUrl,
    `insert into totp_enrollments (directory_id, user_id, id, secret_sealed, confirmed_at)
     select directory_id, id, id, $2, clock_now() from users where id = any($1::uuid[])`,
    [uuidArray(people.map(({ id }) => id)), sealedSecret],
  )
  await addProofs(
    bench,
    `insert into mfa_challenges
       (directory_id, id, token_hash, user_id, auth_method, amr, enrollment, failure_identity, expires_at)
     select directory_id, made.id, hash, user_id, 'magic_link', '{otp}', false, identity,
       clock_now() + interval '5 minutes'`,
    people,
    ({ token }) => keyedHash(challengeProof.name, token),
  )
  await bench.settle()
  const digits = codeOf(secret, Math.floor(Date.now() / 30_000))
  return people.map(({ token }) => post('/sign-in/challenge', { token, digits, subOrgId }))
}
