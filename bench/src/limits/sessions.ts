import type { Pool } from 'pg'
import { intArray, uuidArray } from '../../../src/platform/db/arrays.ts'
import { ISSUER, signAccessToken, TOKEN_SECONDS, verifyAccessToken } from './access-token.ts'
import { type Caller, type Directory, directoryOf } from './callers.ts'
import { hashArray, joined, queryPlaces, Refusal } from './joined.ts'
import type { KeyedHash } from './keyed-hash.ts'
import { makeRefreshToken, parseRefreshToken, sealSecret } from './refresh-token.ts'
import { IDLE_SECONDS } from './sign-in.ts'

const IS_LIVE = `sessions.revoked_at is null and sessions.expires_at > clock_now()
  and sessions.idle_expires_at > clock_now()`

// Lists come as text: taking an array apart costs the driver more than the rest of the row.
const READ = {
  name: 'read_session',
  text: `
    select asked.place::int, sessions.user_id, sessions.auth_account_id, users.email, users.role,
      array_to_string(sessions.amr, ' '), sessions.aal, floor(extract(epoch from sessions.authenticated_at))::int
    from unnest($1::uuid[], $2::uuid[], $3::uuid[])
      with ordinality as asked (directory_id, organization_id, id, place)
    cross join lateral (
      select * from sessions where directory_id = asked.directory_id and id = asked.id and ${IS_LIVE} limit 1) sessions
    cross join lateral (
      select email, role from users
      where directory_id = asked.directory_id and id = sessions.user_id and active and deleted_at is null limit 1) users
    where (select status from organizations where id = asked.organization_id) = 'active'`,
}

const ROTATE = {
  name: 'rotate_session',
  text: `
    with asked as materialized (
      select a.*, clock_now() as at
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::bytea[], $6::bytea[], $7::text[])
        with ordinality as a (directory_id, organization_id, id, generation, presented_hash, next_hash, next_sealed, place)
      order by directory_id, id)
    update sessions set generation = asked.generation + 1, refresh_hash = asked.next_hash,
      previous_refresh_hash = asked.presented_hash, successor_sealed = asked.next_sealed, rotated_at = asked.at,
      last_active_at = asked.at,
      idle_expires_at = least(sessions.expires_at, asked.at + interval '${IDLE_SECONDS} seconds')
    from asked, users, organizations
    where sessions.directory_id = asked.directory_id and sessions.id = asked.id
      and sessions.generation = asked.generation and sessions.refresh_hash = asked.presented_hash and ${IS_LIVE}
      and users.directory_id = asked.directory_id and users.id = sessions.user_id and users.active
      and users.deleted_at is null
      and organizations.id = asked.organization_id and organizations.status = 'active'
    returning asked.place::int, sessions.user_id, sessions.auth_account_id, users.email, users.role,
      organizations.slug, array_to_string(sessions.amr, ' '), floor(extract(epoch from sessions.authenticated_at))::int`,
}

interface Asked {
  directory: Directory
  sessionId: string
}

interface Rotation extends Asked {
  generation: number
  presentedHash: string
  nextHash: string
  nextSealed: string
}

type LiveRow = [
  place: number,
  userId: string,
  authAccountId: string,
  email: string,
  role: string,
  amr: string,
  aal: string,
  authenticatedAtSeconds: number,
]
type RotatedRow = [
  place: number,
  userId: string,
  authAccountId: string,
  email: string,
  role: string,
  organizationSlug: string,
  amr: string,
  authenticatedAtSeconds: number,
]

/** What a session is used for: introspection of its access token, and refresh. */
export function makeSessions(pool: Pool, keyedHash: KeyedHash) {
  const places = (asked: Asked[]) => [
    uuidArray(asked.map(({ directory }) => directory.id)),
    uuidArray(asked.map(({ directory }) => directory.organization_id)),
    uuidArray(asked.map(({ sessionId }) => sessionId)),
  ]
  const read = joined((asked: Asked[]) => queryPlaces<LiveRow>(pool, READ, places(asked)))
  const rotate = joined((asked: Rotation[]) =>
    queryPlaces<RotatedRow>(pool, ROTATE, [
      ...places(asked),
      intArray(asked.map(({ generation }) => generation)),
      hashArray(asked.map(({ presentedHash }) => presentedHash)),
      hashArray(asked.map(({ nextHash }) => nextHash)),
      `{${asked.map(({ nextSealed }) => nextSealed).join()}}`,
    ]),
  )
  return {
    /** Throws `Refusal` for a token that is not live. */
    async introspect(caller: Caller, asked: { token: string }) {
      const token = verifyAccessToken(asked.token)
      const directory = directoryOf(caller, token.organizationId)
      const session = await read({ directory, sessionId: token.sessionId })
      const [, userId, authAccountId, email, role, amr, aal, authenticatedAtSeconds] = session
      return {
        active: true,
        token_type: 'access_token',
        iss: ISSUER,
        sub: authAccountId,
        aud: directory.account_id,
        exp: token.expiresAtSeconds,
        iat: token.issuedAtSeconds,
        sid: token.sessionId,
        org_id: directory.organization_id,
        username: email,
        user_id: authAccountId,
        directory_user_id: userId,
        role,
        amr: amr.split(' '),
        aal,
        auth_time: authenticatedAtSeconds,
        env: directory.environment_slug,
      }
    },
    /** Throws `Refusal` for a token that is not the newest of a live session. */
    async refresh(caller: Caller, asked: { refresh_token: string; subOrgId: string }) {
      const directory = directoryOf(caller, asked.subOrgId)
      const presented = parseRefreshToken(keyedHash, asked.refresh_token)
      const { sessionId, generation, hash: presentedHash } = presented
      if (presented.directoryId !== directory.id) throw new Refusal(404, 'Of another organization')
      const next = makeRefreshToken(keyedHash, presented.place, generation + 1)
      const nextSealed = sealSecret(keyedHash, next.secret, asked.refresh_token)
      const rotated = await rotate({ directory, sessionId, generation, presentedHash, nextHash: next.hash, nextSealed })
      const [, userId, authAccountId, email, role, organizationSlug, amr, authenticatedAtSeconds] = rotated
      const holder = { directory, sessionId, authAccountId, userId, email, role, organizationSlug, amr: amr.split(' ') }
      return {
        session: {
          access_token: signAccessToken({ ...holder, authenticatedAtSeconds }),
          refresh_token: next.token,
          expires_in: TOKEN_SECONDS,
          user_id: authAccountId,
          directory_user_id: userId,
        },
      }
    },
  }
}
