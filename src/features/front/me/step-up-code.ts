import { identify } from '../../../platform/crypto/identity.ts'
import type { Work } from '../../../platform/work.ts'
import { mailCode } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'

/**
 * Mails a code to a signed-in user. Entering the code proves the mailbox again. Throws `rate_limited`,
 * `organization_suspended`, `account_locked`, `method_disabled`.
 */
export function mailStepUpCode(work: Work, user: { id: string; email: string; email_norm: string }) {
  const who = identify(work.platform, { email: user.email, norm: user.email_norm })
  return mailCode(work, { purpose: 'step_up', who, userId: user.id })
}
