import { epochSeconds } from '../../../platform/clock.ts'
import { httpErrors } from '../../../platform/errors.ts'
import type { OwnWork } from '../../../platform/tenancy/own-work.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { findUserForUpdate, type HeldUser } from '../../directory/users/users.ts'
import { askGates, assertMaySignIn, findSignInFacts, type SignInFacts } from '../login/login.ts'
import { lockOwnSessionRow } from '../sessions/sessions.ts'
import { selfManagementErrors } from './errors.ts'
import { methodsToStepUp } from './methods.ts'

/**
 * Locks the rows of the caller and of their session. A deactivation, another change or an undo, which may end the
 * session, is therefore complete either before this change or after it. Throws `access_token_invalid`.
 */
export async function lockOwnRow(work: OwnWork & TxWork): Promise<HeldUser> {
  const user = await findUserForUpdate(work, work.caller.directoryUserId)
  await lockOwnSessionRow(work)
  if (!user) throw httpErrors.accessTokenInvalid()
  return user
}

/** The maximum age of the authentication when a user changes their sign-in methods (ASVS 7.5.1). */
export const STEP_UP_SECONDS = 600

/**
 * The facts that the gates check about the caller. Throws what the gates throw: a user who may not sign in may not
 * change sign-in methods either.
 */
export async function ownFacts(work: OwnWork): Promise<SignInFacts> {
  const facts = await findSignInFacts(work, { userId: work.caller.directoryUserId })
  if (!facts) throw httpErrors.accessTokenInvalid()
  await assertMaySignIn(work, facts)
  return facts
}

/**
 * Requires a recent authentication before the caller changes a sign-in method, with a second factor if they have one.
 * A stolen token or a half-finished sign-in does not suffice. A refreshed token counts as old as the sign-in. Throws
 * `step_up_required`, and what the gates throw.
 */
export async function assertRecent(work: OwnWork): Promise<SignInFacts> {
  const { caller, platform } = work
  const facts = await ownFacts(work)
  // Process clock: other services use this clock for the token's claims, so it measures the token's age.
  const age = epochSeconds(platform.clock) - caller.authenticatedAt.getTime() / 1000
  const lacksSecond = facts.mfa_enrolled && caller.aal !== 'aal2' && (await isServiceEnabled(work, 'mfa'))
  if (age <= STEP_UP_SECONDS && !lacksSecond) return facts
  throw selfManagementErrors.stepUpRequired({
    extra: { methods: await methodsToStepUp(work, facts), within_seconds: STEP_UP_SECONDS },
    // RFC 9470 §3
    headers: {
      'www-authenticate': `Bearer realm="watchword", error="insufficient_user_authentication", max_age=${STEP_UP_SECONDS}`,
    },
  })
}

/**
 * Checks that the caller could sign in with this method at all. Throws `sso_required` if only single sign-on is
 * allowed.
 */
export async function assertMethodUsable(work: Work, facts: SignInFacts, method: string): Promise<void> {
  await askGates(work, { facts, method, amr: [], aal: 'aal2', session: null }, null)
}

/**
 * Removes a factor of the caller, unless the policy requires one and this is the last. `remove` returns whether the
 * user would then lack a required factor. Throws `last_factor`, `access_token_invalid`.
 */
export async function unlessRequired(work: OwnWork, remove: (work: TxWork) => Promise<boolean>): Promise<void> {
  await inTx(work, async (work) => {
    await lockOwnRow(work)
    if (await remove(work)) throw selfManagementErrors.lastFactor()
  })
}
