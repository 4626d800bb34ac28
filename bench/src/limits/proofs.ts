import { createDecipheriv, createHmac, type KeyObject } from 'node:crypto'
import { uuidArray } from '../../../src/platform/db/arrays.ts'
import type { Directory } from './callers.ts'
import { hashArray } from './joined.ts'

/** What is presented: a text that proves something, at the thing that it proves it with. */
export interface Presented {
  directory: Directory
  /** Id of a code; empty for what is found by its hash. */
  id: string
  hash: string
}

/** Columns of the statement that reads; the proof, and what else it is judged by. */
export type FoundRow = [
  place: number,
  userId: string,
  email: string,
  role: string,
  epoch: number,
  organizationSlug: string,
  proofId: string,
  sealed: string | null,
  lastStep: number | null,
]

/** A way to a session: what is read for it, and what is burnt. */
export interface Proof {
  name: string
  /** The members of the request's body. */
  body: string[]
  read: { text: string; values(asked: Presented[]): unknown[] }
  /** The statement `burnt`, and those beside it, of `asked`, which `proof_id` names. */
  burn: string
  /** The first sign-in of a mailbox besides. */
  isFirst: boolean
}

const FOUND = 'users.id, users.email, users.role, users.epoch, organizations.slug'

const USER = (from: string, verified: boolean) => `
  cross join lateral (
    select id, email, role, epoch from users
    where directory_id = ${from}.directory_id and id = ${from}.user_id and active and deleted_at is null
      and ${verified ? '' : 'not '}email_verified limit 1) users
  cross join lateral (
    select slug from organizations where id = ${from}.organization_id and status = 'active' limit 1) organizations`

const places = (asked: Presented[]) => [
  uuidArray(asked.map(({ directory }) => directory.id)),
  uuidArray(asked.map(({ directory }) => directory.organization_id)),
]

export const linkProof: Proof = {
  name: 'link',
  body: ['email', 'token', 'subOrgId'],
  read: {
    text: `
      select found.place::int, ${FOUND}, found.id, null, null
      from (select asked.*, links.id, links.user_id
        from unnest($1::uuid[], $2::uuid[], $3::bytea[])
          with ordinality as asked (directory_id, organization_id, token_hash, place)
        cross join lateral (
          select id, user_id from links
          where directory_id = asked.directory_id and token_hash = asked.token_hash and purpose = 'magic_link'
            and used_at is null and closed_at is null and expires_at > clock_now() limit 1) links) found
      ${USER('found', true)}`,
    values: (asked) => [...places(asked), hashArray(asked.map(({ hash }) => hash))],
  },
  burn: `
    burnt as (
      update links set used_at = asked.at
      from asked
      where links.directory_id = asked.directory_id and links.id = asked.proof_id
        and links.used_at is null and links.closed_at is null and links.expires_at > asked.at
      returning asked.*)`,
  isFirst: false,
}

// An attempt is counted, and committed, before the code is burnt.
const codeProof = (isFirst: boolean): Proof => ({
  name: isFirst ? 'first_code' : 'code',
  body: ['email', 'otp_id', 'token', 'subOrgId'],
  read: {
    text: `
      with asked as materialized (
        select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[])
          with ordinality as a (directory_id, organization_id, id, hash, place)
        order by directory_id, id),
      tried as (
        update otps set attempts = otps.attempts + 1 from asked
        where otps.directory_id = asked.directory_id and otps.id = asked.id and otps.purpose = 'login'
          and otps.used_at is null and otps.attempts < otps.max_attempts and otps.expires_at > clock_now()
        returning asked.*, otps.user_id, otps.phrase_hash = asked.hash as is_right)
      select tried.place::int, ${FOUND}, tried.id, null, null from tried
      ${USER('tried', !isFirst)}
      where is_right`,
    values: (asked) => [
      ...places(asked),
      uuidArray(asked.map(({ id }) => id)),
      hashArray(asked.map(({ hash }) => hash)),
    ],
  },
  burn: `
    burnt as (
      update otps set used_at = asked.at
      from asked
      where otps.directory_id = asked.directory_id and otps.id = asked.proof_id
        and otps.used_at is null and otps.expires_at > asked.at
      returning asked.*)`,
  isFirst,
})

export const knownCodeProof = codeProof(false)
export const firstCodeProof = codeProof(true)

// Wrong codes are counted for the challenge and for its user, and a right one resets the latter.
export const challengeProof: Proof = {
  name: 'challenge',
  body: ['token', 'digits', 'subOrgId'],
  read: {
    text: `
      with asked as materialized (
        select * from unnest($1::uuid[], $2::uuid[], $3::bytea[])
          with ordinality as a (directory_id, organization_id, token_hash, place)
        order by directory_id, token_hash),
      tried as (
        update mfa_challenges set attempts = mfa_challenges.attempts + 1 from asked
        where mfa_challenges.directory_id = asked.directory_id and mfa_challenges.token_hash = asked.token_hash
          and mfa_challenges.used_at is null and mfa_challenges.attempts < 5 and mfa_challenges.expires_at > clock_now()
        returning asked.*, mfa_challenges.id, mfa_challenges.user_id, mfa_challenges.failure_identity),
      counted as (
        insert into lockouts as l (directory_id, identity, network, failures)
        select directory_id, failure_identity, '', 1 from tried
        on conflict (directory_id, identity, network) do update set failures = l.failures + 1
        where l.failures < 5
        returning directory_id, identity)
      select tried.place::int, ${FOUND}, tried.id, totp_enrollments.secret_sealed, totp_enrollments.last_step::int
      from tried
      join counted on counted.directory_id = tried.directory_id and counted.identity = tried.failure_identity
      ${USER('tried', true)}
      cross join lateral (
        select secret_sealed, last_step from totp_enrollments
        where directory_id = tried.directory_id and user_id = tried.user_id and confirmed_at is not null limit 1)
        totp_enrollments`,
    values: (asked) => [...places(asked), hashArray(asked.map(({ hash }) => hash))],
  },
  burn: `
    passed as (
      update mfa_challenges set used_at = asked.at
      from asked
      where mfa_challenges.directory_id = asked.directory_id and mfa_challenges.id = asked.proof_id
        and mfa_challenges.used_at is null and mfa_challenges.expires_at > asked.at
      returning asked.*, mfa_challenges.failure_identity),
    reset as (
      delete from lockouts using passed
      where lockouts.directory_id = passed.directory_id and lockouts.identity = passed.failure_identity
        and lockouts.network = ''),
    burnt as (
      update totp_enrollments set last_step = passed.step
      from passed
      where totp_enrollments.directory_id = passed.directory_id and totp_enrollments.user_id = passed.user_id
        and totp_enrollments.last_step < passed.step
      returning passed.*)`,
  isFirst: false,
}

/** The step of a code of an authenticator app (RFC 6238), the present one; null when the code is another. */
export function matchStep(seal: KeyObject, sealed: string, lastStep: number, digits: string): number | null {
  const box = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', seal, box.subarray(0, 12))
  decipher.setAuthTag(box.subarray(-16))
  const secret = Buffer.concat([decipher.update(box.subarray(12, -16)), decipher.final()])
  const step = Math.floor(Date.now() / 30_000)
  // The neighbours are tried as well, since clocks of phones differ: a code of this minute takes one or two.
  for (const near of [step, step - 1]) if (near > lastStep && codeOf(secret, near) === digits) return near
  return null
}

/** Six digits of RFC 4226. */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  return String((mac.readUInt32BE(mac.readUInt8(19) & 15) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
