import { defineOwnRoute } from '../../../platform/http/own-route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { doorRoutes } from '../../access/login/login.ts'
import { challengeErrors, challengeEvents } from '../../sign-in/challenges/challenges.ts'
import { otpEvents, signInCodeErrors } from '../../sign-in/otp/otp.ts'
import { passkeyErrors, passkeyEvents } from '../../sign-in/passkeys/passkeys.ts'
import { passwordErrors } from '../../sign-in/password/password.ts'
import { meEvents } from './events.ts'
import { beginStepUp, finishStepUp } from './step-up.ts'
import { readAnswer, SteppedUp, StepUpBegun, StepUpBody, StepUpVerifyBody } from './step-up-schema.ts'

const errors = [...doorRoutes.sendErrors, ...doorRoutes.barred]

/** Routes with which users prove their identity again within a session. */
export const stepUpRoutes: Route[] = [
  defineOwnRoute({
    method: 'POST',
    path: '/v1/me/step-up',
    operation: 'me.stepUp.start',
    service: 'auth',
    summary: 'Start a step-up',
    description:
      'Changing a sign-in method requires a step-up in the last 10 minutes: the user proves again who they are. A user with a second factor steps up with that factor or with a passkey. Without `method`, the response only lists the methods. With a `method`, the service sends a code, or the response contains the challenge or the passkey options.',
    body: StepUpBody,
    examples: { body: { method: 'otp' } },
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
    summary: 'Complete a step-up',
    description:
      'Send exactly one proof: a password, a code or a passkey credential. Returns an access token of the same session with a new auth_time. The refresh token stays valid. Wrong proofs count as failed sign-ins.',
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
    maybeEvents: [challengeEvents.succeeded, passkeyEvents.updated],
    handle: (work, { body }) => finishStepUp(work, readAnswer(body)),
  }),
]
