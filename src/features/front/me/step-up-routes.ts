import { defineOwnRoute } from '../../../platform/http/own-route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { challengeErrors, challengeEvents } from '../../sign-in/challenges/challenges.ts'
import { otpEvents, signInCodeErrors } from '../../sign-in/otp/otp.ts'
import { passkeyErrors } from '../../sign-in/passkeys/passkeys.ts'
import { passwordErrors } from '../../sign-in/password/password.ts'
import { meEvents } from './events.ts'
import { beginStepUp, finishStepUp } from './step-up.ts'
import { readAnswer, SteppedUp, StepUpBegun, StepUpBody, StepUpVerifyBody } from './step-up-schema.ts'

const errors = [...doorRoutes.sendErrors, ...doorRoutes.barred]

/** By which people prove again, within a session, who they are. */
export const stepUpRoutes: Route[] = [
  defineOwnRoute({
    method: 'POST',
    path: '/v1/me/step-up',
    operation: 'me.stepUp.begin',
    service: 'auth',
    summary: 'Begin to prove again who one is',
    description:
      'What changes a way in wants that within 10 minutes. With a second factor only that, or a passkey, does. A mailed or ' +
      'sent code, a challenge or the options for a passkey come back.',
    body: StepUpBody,
    reply: StepUpBegun,
    errors,
    maybeEvents: [otpEvents.sent],
    handle: (work, { body }) => beginStepUp(work, body.method ?? null),
  }),
  defineOwnRoute({
    method: 'POST',
    path: '/v1/me/step-up/verify',
    operation: 'me.stepUp.verify',
    service: 'auth',
    summary: 'Prove again who one is',
    description:
      'The token that comes back is of the same session, with a fresh auth_time; the refresh token stays. Wrong proofs ' +
      'count as they do at a sign-in.',
    body: StepUpVerifyBody,
    reply: SteppedUp,
    examples: { body: { password: 'correct horse battery staple' } },
    errors: [
      ...errors,
      passwordErrors.invalidCredentials,
      ...Object.values(signInCodeErrors),
      challengeErrors.codeInvalid,
      challengeErrors.expired,
      passkeyErrors.passkeyInvalid,
    ],
    event: meEvents.steppedUp,
    maybeEvents: [challengeEvents.succeeded],
    handle: (work, { body }) => finishStepUp(work, readAnswer(body)),
  }),
]
