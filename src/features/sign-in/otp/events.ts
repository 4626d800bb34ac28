import { Type } from 'typebox'
import { defineEvents, type EventInput } from '../../../platform/events/events.ts'
import { nullable } from '../../../platform/schema.ts'
import { loginEvents, type SignInFacts } from '../../access/login/login.ts'

const purposes = ['login', 'signup', 'step_up', 'email_change', 'discovery'] as const

export const otpEvents = defineEvents({
  sent: [
    'auth.otp.sent',
    'A one-time code was created and its message was queued. The code is for a user who signs in, signs up or confirms a change, or your backend created it with `POST /v1/otp/generate`.',
    Type.Object(
      {
        otp_id: Type.String({ description: 'The code: `otp_id` of the response.', format: 'uuid' }),
        purpose: Type.Optional(
          Type.Enum([...purposes], { description: 'What the code is for. Absent if your backend created the code.' }),
        ),
        channel: Type.Optional(Type.String({ description: '`email` or `sms`.', examples: ['email'] })),
        session_id: Type.Optional(
          nullable(
            Type.String({ examples: ['checkout-4711'] }),
            'Only for `POST /v1/otp/generate`: the value in the request.',
          ),
        ),
        email: Type.Optional(
          Type.String({
            description: 'Only for `POST /v1/otp/generate`: the value in the request.',
            examples: ['ada@acme.example'],
          }),
        ),
        phone: Type.Optional(
          Type.String({
            description: 'Only for `POST /v1/otp/generate`: the value in the request.',
            examples: ['+14155550123'],
          }),
        ),
        delivery_method: Type.Optional(
          Type.Enum(['email', 'sms'], { description: 'Only for `POST /v1/otp/generate`: the value in the request.' }),
        ),
      },
      { examples: [{ otp_id: '0198b6f2-4503-7b31-88cc-4c599ba00e1e', purpose: 'login', channel: 'email' }] },
    ),
  ],
})

/** The event of a code that was sent for a sign-in, a sign-up or a proof. `userId` is null if there is no user yet. */
export function codeSent(
  { otpId, purpose, userId }: { otpId: string; purpose: (typeof purposes)[number]; userId: string | null },
  channel: 'email' | 'sms' = 'email',
): EventInput {
  const target = userId === null ? {} : { target: { type: 'user', id: userId } }
  return otpEvents.sent({ ...target, data: { otp_id: otpId, purpose, channel } })
}

/** Events that the routes that mail a sign-in code may record. */
export const sendCodeEvents = [otpEvents.sent, loginEvents.failed]

/**
 * The event of a request for an address that cannot sign in. `isBound` is true if the person must use single sign-on.
 */
export function describeNothingSent(method: string, facts: SignInFacts | null, isBound = false): EventInput {
  const target = facts ? { target: { type: 'user', id: facts.user_id } } : {}
  const failed = (reason: string) => loginEvents.failed({ ...target, data: { method, reason } })
  if (facts && !facts.active) return failed(facts.access_locked ? 'user_locked' : 'user_inactive')
  if (isBound) return failed('sso_required')
  return loginEvents.failed({ data: { method, reason: 'no_such_user' } })
}
