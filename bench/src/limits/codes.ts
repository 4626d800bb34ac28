import { randomInt } from 'node:crypto'
import type { Pool } from 'pg'
import { FIRST_WORDS, SECOND_WORDS } from '../../../src/features/sign-in/otp/word-list.gen.ts'
import { uuidArray } from '../../../src/platform/db/arrays.ts'
import { isId, newId } from '../../../src/platform/ids.ts'
import type { Directory } from './callers.ts'
import { hashArray, joined, queryPlaces, Refusal } from './joined.ts'
import type { KeyedHash } from './keyed-hash.ts'

const TTL_SECONDS = 300
const MAX_ATTEMPTS = 5

const INSERT = {
  name: 'insert_codes',
  text: `
    insert into otps (directory_id, id, purpose, phrase_hash, max_attempts, expires_at)
    select directory_id, id, 'generator', hash, ${MAX_ATTEMPTS}, expires_at
    from unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::timestamptz[]) as asked (directory_id, id, hash, expires_at)`,
}

// In key order, so that statements of several processes could not deadlock.
const VALIDATE = {
  name: 'validate_codes',
  text: `
    with asked as materialized (
      select * from unnest($1::uuid[], $2::uuid[], $3::bytea[]) with ordinality as a (directory_id, id, hash, place)
      order by directory_id, id)
    update otps set attempts = otps.attempts + (otps.phrase_hash <> asked.hash)::int,
      used_at = case when otps.phrase_hash = asked.hash then clock_now() end
    from asked
    where otps.directory_id = asked.directory_id and otps.id = asked.id and otps.purpose = 'generator'
      and otps.used_at is null and otps.attempts < otps.max_attempts and otps.expires_at > clock_now()
    returning asked.place::int, otps.used_at is not null`,
}

interface NewCode {
  directory: Directory
  id: string
  hash: string
  expiresAt: string
}

type PresentedCode = Omit<NewCode, 'expiresAt'>

/** The generator's codes: made, and used once. */
export function makeCodes(pool: Pool, keyedHash: KeyedHash) {
  const insert = joined(async (codes: NewCode[]) => {
    const { rowCount } = await pool.query({
      ...INSERT,
      values: [
        uuidArray(codes.map(({ directory }) => directory.id)),
        uuidArray(codes.map(({ id }) => id)),
        hashArray(codes.map(({ hash }) => hash)),
        `{${codes.map(({ expiresAt }) => expiresAt).join()}}`,
      ],
    })
    return rowCount === codes.length ? codes : []
  })
  const validate = joined((codes: PresentedCode[]) =>
    queryPlaces<[place: number, valid: boolean]>(pool, VALIDATE, [
      uuidArray(codes.map(({ directory }) => directory.id)),
      uuidArray(codes.map(({ id }) => id)),
      hashArray(codes.map(({ hash }) => hash)),
    ]),
  )
  return {
    async generate(directory: Directory) {
      const id = newId()
      const code = `${FIRST_WORDS[randomInt(FIRST_WORDS.length)]} ${SECOND_WORDS[randomInt(SECOND_WORDS.length)]}`
      const expiresAt = new Date(Date.now() + TTL_SECONDS * 1000).toISOString()
      await insert({ directory, id, hash: keyedHash('code', id + code), expiresAt })
      return { otp_id: id, code, session_id: null, expires_at: expiresAt }
    },
    /** Throws `Refusal` for a code that cannot be used. */
    async validate(directory: Directory, { otp_id: id, code }: { otp_id: string; code: string }) {
      if (!isId(id)) throw new Refusal(404, 'No such code')
      const [, valid] = await validate({ directory, id, hash: keyedHash('code', id + code) })
      return valid ? { valid } : { valid, message: 'Invalid code' }
    },
  }
}
