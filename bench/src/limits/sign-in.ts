import type { Pool } from 'pg'
import { uuidArray } from '../../../src/platform/db/arrays.ts'
import { newId, newRequestId } from '../../../src/platform/ids.ts'
import { signAccessToken, TOKEN_SECONDS } from './access-token.ts'
import { type Caller, type Directory, directoryOf } from './callers.ts'
import { hashArray, joined, queryPlaces } from './joined.ts'
import type { KeyedHash } from './keyed-hash.ts'
import { makeRefreshToken, packPlace } from './refresh-token.ts'

const DAY_SECONDS = 86_400
export const IDLE_SECONDS = 7 * DAY_SECONDS
const MAX_SECONDS = 30 * DAY_SECONDS

const READ = {
  name: 'read_link',
  text: `
    select asked.place::int, users.id, users.email, users.role, users.epoch, organizations.slug, links.id
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[])
      with ordinality as asked (directory_id, organization_id, email_norm, token_hash, place)
    cross join lateral (
      select id, user_id from links
      where directory_id = asked.directory_id and token_hash = asked.token_hash and purpose = 'magic_link'
        and used_at is null and closed_at is null and expires_at > clock_now() limit 1) links
    cross join lateral (
      select id, email, role, epoch from users
      where directory_id = asked.directory_id and email_norm = asked.email_norm and id = links.user_id
        and active and email_verified and deleted_at is null limit 1) users
    cross join lateral (
      select slug from organizations where id = asked.organization_id and status = 'active' limit 1) organizations`,
}

// The default of the column `epoch` would be a query for each row.
const WRITE = {
  name: 'write_session',
  text: `
    with asked as materialized (
      select a.*, clock_now() as at
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::uuid[], $7::uuid[], $8::uuid[],
        $9::bytea[], $10::uuid[], $11::uuid[], $12::text[], $13::text[])
        with ordinality as a (directory_id, account_id, environment_id, user_id, epoch, new_account_id, link_id,
          session_id, refresh_hash, created_id, succeeded_id, actor_id, request_id, place)
      order by directory_id, link_id),
    burnt as (
      update links set used_at = asked.at
      from asked
      where links.directory_id = asked.directory_id and links.id = asked.link_id
        and links.used_at is null and links.closed_at is null and links.expires_at > asked.at
      returning asked.*),
    signed_in as (
      update users set last_login_at = burnt.at, auth_account_id = coalesce(users.auth_account_id, burnt.new_account_id)
      from burnt
      where users.directory_id = burnt.directory_id and users.id = burnt.user_id and users.epoch = burnt.epoch
        and users.active and users.deleted_at is null
      returning burnt.*, users.auth_account_id),
    made as (
      insert into sessions (directory_id, id, environment_id, user_id, auth_account_id, auth_method, amr, aal,
        refresh_hash, idle_expires_at, expires_at)
      select directory_id, session_id, environment_id, user_id, auth_account_id, 'magic_link', '{otp}', 'aal1',
        refresh_hash, at + interval '${IDLE_SECONDS} seconds', at + interval '${MAX_SECONDS} seconds'
      from signed_in),
    recorded as (
      insert into events (directory_id, account_id, environment_id, id, type, actor_type, actor_id, target_type,
        target_id, request_id, data, epoch)
      select directory_id, account_id, environment_id, event.id, event.type, 'api_key', actor_id, event.target_type,
        event.target_id, request_id, event.data, (select epoch from event_stream)
      from signed_in cross join lateral (values
        (created_id, 'session.created', 'session', session_id::text, jsonb_build_object('id', session_id,
          'user_id', auth_account_id, 'directory_user_id', user_id, 'auth_method', 'magic_link',
          'amr', '["otp"]'::jsonb, 'aal', 'aal1')),
        (succeeded_id, 'auth.login.succeeded', 'user', user_id::text, '{"method": "magic_link"}'::jsonb))
        as event (id, type, target_type, target_id, data))
    select place::int, auth_account_id, floor(extract(epoch from at))::int from signed_in`,
}

interface Presented {
  directory: Directory
  email: string
  tokenHash: string
}

type FoundRow = [
  place: number,
  userId: string,
  email: string,
  role: string,
  epoch: number,
  organizationSlug: string,
  linkId: string,
]

interface NewSession {
  caller: Caller
  directory: Directory
  userId: string
  epoch: number
  linkId: string
  sessionId: string
  refreshHash: string
}

/** From a link to a session: reads link, user and organization, then writes what a sign-in leaves, and signs. */
export function makeSignIn(pool: Pool, keyedHash: KeyedHash) {
  const read = joined((asked: Presented[]) =>
    queryPlaces<FoundRow>(pool, READ, [
      uuidArray(asked.map(({ directory }) => directory.id)),
      uuidArray(asked.map(({ directory }) => directory.organization_id)),
      asked.map(({ email }) => email),
      hashArray(asked.map(({ tokenHash }) => tokenHash)),
    ]),
  )
  const write = joined((made: NewSession[]) =>
    queryPlaces<[place: number, authAccountId: string, atSeconds: number]>(pool, WRITE, [
      uuidArray(made.map(({ directory }) => directory.id)),
      uuidArray(made.map(({ directory }) => directory.account_id)),
      uuidArray(made.map(({ directory }) => directory.environment_id)),
      uuidArray(made.map(({ userId }) => userId)),
      `{${made.map(({ epoch }) => epoch).join()}}`,
      uuidArray(made.map(() => newId())),
      uuidArray(made.map(({ linkId }) => linkId)),
      uuidArray(made.map(({ sessionId }) => sessionId)),
      hashArray(made.map(({ refreshHash }) => refreshHash)),
      uuidArray(made.map(() => newId())),
      uuidArray(made.map(() => newId())),
      `{${made.map(({ caller }) => caller.keyId).join()}}`,
      `{${made.map(() => newRequestId()).join()}}`,
    ]),
  )
  /** Throws `Refusal` unless the link is live and of this address. */
  return async (caller: Caller, asked: { email: string; token_hash: string; subOrgId: string }) => {
    const directory = directoryOf(caller, asked.subOrgId)
    const tokenHash = keyedHash('link', asked.token_hash)
    const found = await read({ directory, email: asked.email.toLowerCase(), tokenHash })
    const [, userId, email, role, epoch, organizationSlug, linkId] = found
    const sessionId = newId()
    const refresh = makeRefreshToken(keyedHash, packPlace(directory.id, sessionId), 0)
    const made = await write({ caller, directory, userId, epoch, linkId, sessionId, refreshHash: refresh.hash })
    const [, authAccountId, authenticatedAtSeconds] = made
    const holder = { directory, sessionId, authAccountId, userId, email, role, organizationSlug, amr: ['otp'] }
    return {
      session: {
        access_token: signAccessToken({ ...holder, authenticatedAtSeconds }),
        refresh_token: refresh.token,
        expires_in: TOKEN_SECONDS,
        user_id: authAccountId,
        directory_user_id: userId,
      },
    }
  }
}
