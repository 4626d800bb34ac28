import { type LoginResult, WatchwordError } from '@watchword/sdk'
import { redirect } from 'next/navigation'
import { auth, forgetAttempt, forThisRequest, keepAttempt } from './watchword'

/** An organization that the person can choose. */
export interface Choice {
  subOrgId: string
  name: string
  /** The connection, if the organization requires single sign-on. */
  connectionId: string | null
  needsSso: boolean
}

/** What the sign-in page shows. */
export type Step = { problem?: string } & (
  | { name: 'address' }
  | { name: 'sso'; choices: Choice[]; isRequired: boolean }
  | { name: 'code'; email: string }
  | { name: 'organizations'; choices: Choice[] }
  | { name: 'factor' }
)

const PROBLEMS: Record<string, string> = {
  otp_invalid: 'This code is not right. Check the newest mail.',
  otp_expired: 'This code has expired. Ask for a new one.',
  otp_too_many_attempts: 'Too many wrong codes. Ask for a new one.',
  mfa_code_invalid: 'This code is not right. Wait for the next one in your app.',
  challenge_expired: 'This took too long. Sign in again.',
  discovery_token_invalid: 'This took too long. Sign in again.',
  rate_limited: 'Too many tries. Wait a few minutes.',
  account_locked: 'Too many tries. Wait a few minutes.',
  user_inactive: 'Your access has ended. Ask your administrator.',
  user_locked: 'Your access is locked. Ask your administrator.',
  organization_suspended: 'Your organization has no access at the moment.',
  sso_required: 'Your organization requires single sign-on.',
  invalid_request: 'This is incomplete. Check what you have typed.',
  access_denied: 'The sign-in was cancelled.',
  domain_not_verified: 'Your organization has not verified the domain of your address.',
  account_not_linked: 'Your organization has not given you access yet. Ask your administrator.',
}

export const wordsFor = (code: string) => PROBLEMS[code] ?? 'This did not work. Try again.'

/** The text that tells the person about a refusal. Throws other errors again. */
export function problemOf(error: unknown): string {
  if (!(error instanceof WatchwordError) || error.isInternal) throw error
  return wordsFor(error.code)
}

/** Continues with the result of a sign-in. With a session, the sign-in ends at the home page. */
export async function proceed(result: LoginResult): Promise<Step> {
  const { session, challenge_token: token, discovery_token: discoveryToken } = result
  if (session) {
    await auth.start(session)
    await forgetAttempt()
    // Always the home page, because an address from the query would be an open redirect.
    redirect('/')
  }
  if (token) {
    await keepAttempt({ challenge: { token, subOrgId: result.sub_org_id ?? null } })
    // examples/one-login shows how people set up a second factor.
    if (result.enrollment_required)
      return { name: 'address', problem: 'Your organization requires a second factor. Ask your administrator.' }
    return { name: 'factor' }
  }
  if (discoveryToken) await keepAttempt({ discoveryToken })
  return { name: 'organizations', choices: choicesOf(result.organizations ?? []) }
}

export const choicesOf = (organizations: NonNullable<LoginResult['organizations']>): Choice[] =>
  organizations.map(({ subOrgId, name, requires, connection_id: connectionId }) => ({
    subOrgId,
    name,
    connectionId,
    needsSso: requires === 'sso',
  }))

/** Signs in to an organization with the proof that the mailbox belongs to the person. */
export async function enter(subOrgId: string, discoveryToken: string): Promise<Step> {
  const client = await forThisRequest()
  return proceed(await client.discovery.exchange({ subOrgId, discovery_token: discoveryToken }))
}
