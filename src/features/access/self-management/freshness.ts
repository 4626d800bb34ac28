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
 * The caller's row, held, and the session with it: whatever ends that, such as a deactivation, another's change or an undo,
 * comes wholly before a change or wholly after. Throws `access_token_invalid`.
 */
export async function lockOwnRow(work: OwnWork & TxWork): Promise<HeldUser> {
  const user = await findUserForUpdate(work, work.caller.directoryUserId)
  await lockOwnSessionRow(work)
  if (!user) throw httpErrors.accessTokenInvalid()
  return user
}

/** Maximum age of the authentication for changes of a sign-in method (ASVS 7.5.1). */
export const STEP_UP_SECONDS = 600

/** What the door checks about the caller. Throws what the gates throw: who may not come in changes no way in either. */
export async function ownFacts(work: OwnWork): Promise<SignInFacts> {
  const facts = await findSignInFacts(work, { userId: work.caller.directoryUserId })
  if (!facts) throw httpErrors.accessTokenInvalid()
  await assertMaySignIn(work, facts)
  return facts
}

/**
 * Whether the caller may change a way in: by a token of a recent proof of who is there, and with a second factor if they have
 * one, so that neither a stolen token nor half of a sign-in does. A refreshed token is as old as the sign-in.
 * Throws `step_up_required`, and what the gates throw.
 */
export async function assertRecent(work: OwnWork): Promise<SignInFacts> {
  const { caller, platform } = work
  const facts = await ownFacts(work)
  // Process clock: the age of a token is judged by the clock that other services use for its claims.
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

/** Whether the caller could come in by a method at all. Throws `sso_required` where only single sign-on is a way in. */
export async function assertMethodUsable(work: Work, facts: SignInFacts, method: string): Promise<void> {
  await askGates(work, { facts, method, amr: [], aal: 'aal2', session: null }, null)
}

/**
 * Removes a factor of the caller, unless the policy requires one and this is the last. `remove` returns whether the policy
 * requires a factor that the user lacks afterwards. Throws `last_factor`, `access_token_invalid`.
 */
export async function unlessRequired(work: OwnWork, remove: (work: TxWork) => Promise<boolean>): Promise<void> {
  await inTx(work, async (work) => {
    await lockOwnRow(work)
    if (await remove(work)) throw selfManagementErrors.lastFactor()
  })
}
