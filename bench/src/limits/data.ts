import { randomBytes } from 'node:crypto'
import { uuidArray } from '../../../src/platform/db/arrays.ts'
import { newId } from '../../../src/platform/ids.ts'
import { type Bench, oncePerRun } from '../bench.ts'
import type { LoadRequest } from '../load.ts'
import { query } from '../postgres.ts'
import { analyze, createOrganization, getDeployment, makeEmails, post } from '../product/deployment.ts'
import { hashArray } from './joined.ts'
import { makeKeyedHash } from './keyed-hash.ts'
import { makeSecret } from './refresh-token.ts'

const script = new URL('./server.ts', import.meta.url)

/** The server of the limits on the product's own database, and an organization there. */
export const getLimits = oncePerRun(async (bench: Bench) => {
  const { databaseUrl, watchword, headers } = await getDeployment(bench)
  const subOrgId = await createOrganization(bench)
  const hashKey = randomBytes(32).toString('hex')
  const { baseUrl } = await bench.server(script, {
    DATABASE_URL: databaseUrl,
    LIMIT_API_KEY: watchword.apiKey,
    LIMIT_HASH_KEY: hashKey,
  })
  return { databaseUrl, baseUrl, headers, subOrgId, keyedHash: makeKeyedHash(hashKey) }
})

/** Fresh users whose mailbox has been proved, with a sign-in link each: the requests that redeem the links. */
export async function prepareLinks(bench: Bench, count: number): Promise<LoadRequest[]> {
  const { databaseUrl, subOrgId, keyedHash } = await getLimits(bench)
  // As long as the product's tokens, which begin with the directory.
  const people = makeEmails(count).map((email) => ({
    email,
    id: newId(),
    linkId: newId(),
    token: newId().slice(0, 22) + makeSecret().toString('base64url'),
  }))
  const ids = uuidArray(people.map(({ id }) => id))
  const emails = people.map(({ email }) => email)
  await query(
    databaseUrl,
    `insert into users (directory_id, id, environment_id, email, email_norm, email_verified, source)
     select directories.id, made.id, environment_id, email, email, true, 'bulk'
     from directories, unnest($2::uuid[], $3::text[]) as made (id, email) where organization_id = $1
       and environment_id = (select id from environments where slug = 'production' and account_id = directories.account_id)`,
    [subOrgId, ids, emails],
  )
  await query(
    databaseUrl,
    `insert into links (directory_id, id, purpose, user_id, identity, token_hash, expires_at)
     select directory_id, made.id, 'magic_link', user_id, identity, token_hash, clock_now() + interval '15 minutes'
     from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::bytea[]) as made (id, user_id, identity, token_hash)
       join users on users.id = made.user_id`,
    [
      uuidArray(people.map(({ linkId }) => linkId)),
      ids,
      hashArray(people.map(({ email }) => keyedHash('identity', email))),
      hashArray(people.map(({ token }) => keyedHash('link', token))),
    ],
  )
  await analyze(bench)
  return people.map(({ email, token }) => post('/sign-in', { email, token_hash: token, subOrgId }))
}
