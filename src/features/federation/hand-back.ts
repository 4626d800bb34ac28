import { recordFailure } from '../../platform/failures.ts'
import type { Redirect } from '../../platform/http/answer.ts'
import { newId } from '../../platform/ids.ts'
import type { Work } from '../../platform/work.ts'
import { assertRedirectAllowed } from '../links/links.ts'
import { loginEvents, type SessionReply } from '../login/login.ts'
import { type Begun, directoryOf } from './begin.ts'
import { FAILURES, type FailureCode, federationErrors } from './errors.ts'
import { hashToken, makeToken } from './state.ts'
import { insertCodeRow, takeCodeRow } from './store.ts'

const CODE_SECONDS = 60

const place = (work: Pick<Work, 'directory'>, id: string) => ({
  table: 'exchange_codes',
  column: 'reply_sealed',
  row: id,
  accountId: work.directory.accountId,
})

/**
 * Sends the browser on to the application, with what the sign-in has given: a code to exchange for it, or itself. Throws
 * `invalid_redirect_uri` for an address that has ceased to be allowed meanwhile.
 */
export async function handBack(work: Work, begun: Begun, reply: SessionReply): Promise<Redirect> {
  return leadTo(work, begun, begun.responseMode === 'code' ? { code: await keepReply(work, reply) } : said(reply))
}

/** Sends the browser back with a fixed code. The failure is recorded. */
export async function failFederated(work: Work, begun: Begun, code: FailureCode): Promise<Redirect> {
  const { method } = begun
  await recordFailure(work, null, loginEvents.failed({ data: { method, reason: code } }))
  return leadTo(work, begun, { error: code, error_description: FAILURES[code] })
}

async function leadTo(work: Work, { redirectUri, state }: Begun, said: Record<string, string>): Promise<Redirect> {
  await assertRedirectAllowed(work, redirectUri)
  const url = new URL(redirectUri)
  // What we say replaces what the address says by the same name.
  for (const [name, value] of Object.entries({ ...said, state })) url.searchParams.set(name, value)
  return { redirectTo: url.href }
}

function said({ session, challenge_token = '', enrollment_required }: SessionReply): Record<string, string> {
  if (session) {
    const { access_token, refresh_token, expires_in, user_id, directory_user_id } = session
    return { access_token, refresh_token, expires_in: String(expires_in), user_id, directory_user_id }
  }
  return { mfa_required: 'true', challenge_token, ...(enrollment_required ? { enrollment_required: 'true' } : {}) }
}

/** A code for what a sign-in has given. */
export async function keepReply(work: Work, reply: SessionReply): Promise<string> {
  const { keyring } = work.platform
  const [id, code] = [newId(), makeToken(keyring, work.directory)]
  const reply_sealed = await keyring.seal(place(work, id), JSON.stringify(reply))
  await insertCodeRow(work.db, work.directory, {
    id,
    code_hash: hashToken(keyring, 'code', code),
    reply_sealed,
    ttlSeconds: CODE_SECONDS,
  })
  return code
}

/** What a sign-in at a provider has given: for the code that the browser brought, once. Throws `code_invalid`. */
export async function exchangeCode(work: Work, code: string): Promise<SessionReply> {
  const { platform, directory, db } = work
  const found = await directoryOf(work, code)
  const row =
    found?.id === directory.id && (await takeCodeRow(db, directory, hashToken(platform.keyring, 'code', code)))
  if (!row) throw federationErrors.codeInvalid()
  const reply: SessionReply = JSON.parse(await platform.keyring.open(place(work, row.id), row.reply_sealed))
  return reply
}
