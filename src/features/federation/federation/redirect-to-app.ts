import { ApiError } from '../../../platform/errors.ts'
import { recordFailure } from '../../../platform/events/failures.ts'
import type { Redirect } from '../../../platform/http/answer.ts'
import type { Work } from '../../../platform/work.ts'
import { loginEvents, type SessionReply } from '../../access/login/login.ts'
import { assertRedirectAllowed, redirectErrors } from '../../access/redirects/redirects.ts'
import type { Begun } from './begin/begin.ts'
import { FAILURES, type FailureCode } from './errors.ts'

/** Sends the browser to the application with the result of the sign-in. Throws `invalid_redirect_uri`. */
export function redirectToApp(work: Work, begun: Begun, given: { code: string } | SessionReply): Promise<Redirect> {
  return redirectBack(work, begun, 'code' in given ? given : said(given))
}

/** What is known about a failed sign-in. */
export interface FailedSignIn {
  /** The user that the provider's answer identifies, if there is one. */
  userId?: string | null
  /** The hash of the address that the provider vouches for. The failure is counted for it. */
  identity?: Buffer | null
  /** The trace of the sign-in. */
  traceId?: string
}

/** Sends the browser to the application with a fixed error code, and records the failure. */
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

/** Sends the browser to the application after a test, without a session. */
export async function endTest(work: Work, begun: Begun): Promise<Redirect> {
  return redirectBack(work, begun, { test: 'succeeded' })
}

function redirectBack(work: Work, { redirectUri, state }: Begun, said: Record<string, string>): Promise<Redirect> {
  return redirectToUri(work, redirectUri, { ...said, state })
}

const WITHDRAWN =
  'You cannot be taken back to the page that you came from: its address was withdrawn meanwhile. Please open your ' +
  'application again. If this keeps happening, contact the people who run it.'

/**
 * Checks a redirect URI again. The error is written for the user, who cannot change any settings. Throws
 * `invalid_redirect_uri`.
 */
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
  // These values replace parameters with the same names in the redirect URI.
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
