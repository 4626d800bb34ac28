import type { KeyObject } from 'node:crypto'
import type { Pool } from 'pg'
import { intArray, uuidArray } from '../../../src/platform/db/arrays.ts'
import { newId, newRequestId } from '../../../src/platform/ids.ts'
import { signAccessToken, TOKEN_SECONDS } from './access-token.ts'
import { type Caller, type Directory, directoryOf } from './callers.ts'
import { hashArray, joined, queryPlaces, Refusal } from './joined.ts'
import type { KeyedHash } from './keyed-hash.ts'
import { challengeProof, type FoundRow, matchStep, type Presented, type Proof } from './proofs.ts'
import { makeRefreshToken, packPlace } from './refresh-token.ts'

const DAY_SECONDS = 86_400
export const IDLE_SECONDS = 7 * DAY_SECONDS
const MAX_SECONDS = 30 * DAY_SECONDS

// The default of the column `epoch` would be a query for each row.
const write = ({ name, burn, isFirst }: Proof) => ({
  name: `write_session_${name}`,
  text: `
    with asked as materialized (
      select a.*, clock_now() as at
      from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::uuid[], $7::uuid[], $8::uuid[],
        $9::bytea[], $10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::text[], $15::int[], $16::uuid[])
        with ordinality as a (directory_id, account_id, environment_id, user_id, epoch, new_account_id, proof_id,
          session_id, refresh_hash, created_id, succeeded_id, actor_id, request_id, amr, step, verified_id, place)
      order by directory_id, proof_id),
    ${burn},
    signed_in as (
      update users set last_login_at = burnt.at, auth_account_id = coalesce(users.auth_account_id, burnt.new_account_id)
        ${isFirst ? ', email_verified = true, epoch = users.epoch + 1, version = users.version + 1, updated_at = burnt.at' : ''}
      from burnt
      where users.directory_id = burnt.directory_id and users.id = burnt.user_id and users.epoch = burnt.epoch
        and users.active and users.deleted_at is null
      returning burnt.*, users.auth_account_id, users.email),
    made as (
      insert into sessions (directory_id, id, environment_id, user_id, auth_account_id, auth_method, amr, aal,
        refresh_hash, idle_expires_at, expires_at)
      select directory_id, session_id, environment_id, user_id, auth_account_id, '${name}', string_to_array(amr, ' '),
        'aal1', refresh_hash, at + interval '${IDLE_SECONDS} seconds', at + interval '${MAX_SECONDS} seconds'
      from signed_in),
    recorded as (
      insert into events (directory_id, account_id, environment_id, id, type, actor_type, actor_id, target_type,
        target_id, request_id, data, epoch)
      select directory_id, account_id, environment_id, event.id, event.type, 'api_key', actor_id, event.target_type,
        event.target_id, request_id, event.data, (select epoch from event_stream)
      from signed_in cross join lateral (values
        (created_id, 'session.created', 'session', session_id::text, jsonb_build_object('id', session_id,
          'user_id', auth_account_id, 'directory_user_id', user_id, 'auth_method', '${name}',
          'amr', string_to_array(amr, ' '), 'aal', 'aal1')),
        ${isFirst ? "(verified_id, 'user.email_verified', 'user', user_id::text, jsonb_build_object('id', user_id, 'email', email))," : ''}
        (succeeded_id, 'auth.login.succeeded', 'user', user_id::text, '{"method": "${name}"}'::jsonb))
        as event (id, type, target_type, target_id, data))
    select place::int, auth_account_id, floor(extract(epoch from at))::int from signed_in`,
})

interface NewSession {
  caller: Caller
  directory: Directory
  userId: string
  epoch: number
  proofId: string
  step: number
  sessionId: string
  refreshHash: string
}

/** Of these a proof has some (`Proof.body`). */
export interface SignInBody {
  token: string
  email?: string
  otp_id?: string
  digits?: string
  subOrgId: string
}

/** From a proof to a session: reads proof, user and organization, then writes what a sign-in leaves, and signs. */
export function makeSignIn(pool: Pool, keyedHash: KeyedHash, seal: KeyObject, proof: Proof) {
  const reading = { name: `read_${proof.name}`, text: proof.read.text }
  const writing = write(proof)
  const amr = proof === challengeProof ? ['otp', 'mfa'] : ['otp']
  const find = joined((asked: Presented[]) => queryPlaces<FoundRow>(pool, reading, proof.read.values(asked)))
  const make = joined((made: NewSession[]) =>
    queryPlaces<[place: number, authAccountId: string, atSeconds: number]>(pool, writing, [
      uuidArray(made.map(({ directory }) => directory.id)),
      uuidArray(made.map(({ directory }) => directory.account_id)),
      uuidArray(made.map(({ directory }) => directory.environment_id)),
      uuidArray(made.map(({ userId }) => userId)),
      intArray(made.map(({ epoch }) => epoch)),
      uuidArray(made.map(() => newId())),
      uuidArray(made.map(({ proofId }) => proofId)),
      uuidArray(made.map(({ sessionId }) => sessionId)),
      hashArray(made.map(({ refreshHash }) => refreshHash)),
      uuidArray(made.map(() => newId())),
      uuidArray(made.map(() => newId())),
      `{${made.map(({ caller }) => caller.keyId).join()}}`,
      `{${made.map(() => newRequestId()).join()}}`,
      `{${made.map(() => `"${amr.join(' ')}"`).join()}}`,
      intArray(made.map(({ step }) => step)),
      uuidArray(made.map(() => newId())),
    ]),
  )
  /** Throws `Refusal` unless the proof is live, right, and of this address. */
  return async (caller: Caller, asked: SignInBody) => {
    const directory = directoryOf(caller, asked.subOrgId)
    const { otp_id: id = '', digits = '' } = asked
    const found = await find({ directory, id, hash: keyedHash(proof.name, id + asked.token) })
    const [, userId, email, role, epoch, organizationSlug, proofId, sealed, lastStep] = found
    if (asked.email !== undefined && asked.email.toLowerCase() !== email) throw new Refusal(404, 'Not found')
    const step = sealed === null ? 0 : matchStep(seal, sealed, lastStep ?? 0, digits)
    if (step === null) throw new Refusal(401, 'Another code')
    const sessionId = newId()
    const refresh = makeRefreshToken(keyedHash, packPlace(directory.id, sessionId), 0)
    const made = await make({ caller, directory, userId, epoch, proofId, step, sessionId, refreshHash: refresh.hash })
    const [, authAccountId, authenticatedAtSeconds] = made
    const holder = { directory, sessionId, authAccountId, userId, email, role, organizationSlug, amr }
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
