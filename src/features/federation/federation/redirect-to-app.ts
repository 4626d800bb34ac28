import { ApiError } from '../../../platform/errors.ts'
import { recordFailure } from '../../../platform/events/failures.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { Work } from '../../../platform/work.ts'
import { loginEvents, type SessionReply } from '../../access/login/login.ts'
import { assertRedirectAllowed, redirectErrors } from '../../access/redirects/redirects.ts'
import type { Begun } from './begin/begin.ts'
import { FAILURES, type FailureCode } from './errors.ts'

/** Sends the browser on to the application, with what the sign-in has given. Throws `invalid_redirect_uri`. */
export function redirectToApp(work: Work, begun: Begun, given: { code: string } | SessionReply): Promise<Redirect> {
  return redirectBack(work, begun, 'code' in given ? given : said(given))
}

/** What is known of a sign-in that fails. */
export interface FailedSignIn {
  /** The user that the provider's answer names, if there is one. */
  userId?: string | null
  /** Of the address that the provider vouches for: how the failure is counted. */
  identity?: Buffer | null
  /** The trace that is kept of it. */
  traceId?: string
}

/** Sends the browser back with a fixed code. The failure is recorded. */
export async function failFederated(
  work: Work,
  begun: Begun,
  code: FailureCode,
  { userId, identity = null, traceId }: FailedSignIn = {},
): Promise<Redirect> {
  const { method, source } = begun
  const failed = loginEvents.failed({
    ...(userId ? { target: { type: 'user', id: userId } } : {}),
    data: { method, reason: code, ...(method === 'sso' ? { connection_id: source } : {}) },
  })
  await recordFailure(work, identity, failed, traceId === undefined ? {} : { trace_id: traceId })
  return redirectBack(work, begun, { error: code, error_description: FAILURES[code] })
}

/** Sends the browser back from a test, without a session. */
export async function endTest(work: Work, begun: Begun): Promise<Redirect> {
  return redirectBack(work, begun, { test: 'succeeded' })
}

function redirectBack(work: Work, { redirectUri, state }: Begun, said: Record<string, string>): Promise<Redirect> {
  return redirectToUri(work, redirectUri, { ...said, state })
}

const WITHDRAWN =
  'You cannot be taken back to the page that you came from: its address was withdrawn meanwhile. Please open your ' +
  'application again. If this keeps happening, contact the people who run it.'

/** The check of an address once more, told to a person, who cannot change any settings. Throws `invalid_redirect_uri`. */
export async function assertStillAllowed(work: Work, redirectUri: string): Promise<void> {
  try {
    await assertRedirectAllowed(work, redirectUri)
  } catch (error) {
    throw error instanceof ApiError ? redirectErrors.notAllowed({ detail: WITHDRAWN }) : error
  }
}

/** Sends the browser to an address of the application with these parameters. Throws `invalid_redirect_uri`. */
export async function redirectToUri(work: Work, redirectUri: string, said: Record<string, string>): Promise<Redirect> {
  await assertStillAllowed(work, redirectUri)
  const url = new URL(redirectUri)
  // What we say replaces what the address says by the same name.
  for (const [name, value] of Object.entries(said)) url.searchParams.set(name, value)
  return { redirectTo: url.href }
}

function said({
  session,
  challenge_token = '',
  directory_user_id = '',
  sub_org_id,
  enrollment_required,
}: SessionReply): Record<string, string> {
  if (session) {
    return Object.fromEntries(Object.entries(session).map(([name, value]) => [name, String(value)]))
  }
  const enrollment = enrollment_required ? { enrollment_required: 'true' } : {}
  const organization = sub_org_id ? { sub_org_id } : {}
  return { mfa_required: 'true', challenge_token, directory_user_id, ...organization, ...enrollment }
}
