import { type Static, Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { described, named } from '../../../platform/schema.ts'
import { exampleTokens } from '../../access/claims/claims.ts'
import { STEP_UP_METHODS } from '../../access/self-management/self-management.ts'
import { ChallengeId, RequestOptions, SignInCredential } from '../../sign-in/passkeys/passkeys.ts'
import { Password } from '../../sign-in/password/password.ts'

const OTP_ID = '0198b6f2-4503-7b31-88cc-4c599ba00e1e'
const TOKEN = 'sup_3uJ0vQm8ZtW1nB7kYxR5cDpLs2Fa9HgE6oTiKbVwXyU'

export const StepUpBody = Type.Object({
  method: Type.Optional(
    Type.Enum(STEP_UP_METHODS, {
      description: 'The method to start. If absent, the response only lists the available methods.',
    }),
  ),
})

export const StepUpBegun = named(
  'StepUp',
  Type.Object(
    {
      methods: Type.Array(Type.Enum(STEP_UP_METHODS), {
        description:
          'Methods for the step-up. `sso`: the user signs in again instead. `password` does not have to be started.',
        examples: [['password', 'otp']],
      }),
      otp_id: Type.Optional(
        Type.String({ format: 'uuid', description: 'Identifies the code that was sent. Send it with `code`.' }),
      ),
      challenge_token: Type.Optional(
        Type.String({ description: 'The challenge. Send it with a code of a second factor.' }),
      ),
      challengeId: Type.Optional(
        described(ChallengeId, 'The challenge of the passkey `options`. Send it with the credential.'),
      ),
      options: Type.Optional(described(RequestOptions, 'For `navigator.credentials.get()` in the browser.')),
      delivery_hint: Type.Optional(
        Type.String({ description: 'The address or phone number that a code was sent to, masked.' }),
      ),
      expires_at: Type.Optional(Type.String({ format: 'date-time' })),
    },
    {
      description: 'The methods for a step-up, and the step-up that was started.',
      examples: [{ methods: ['password', 'otp'], otp_id: OTP_ID, delivery_hint: 'a•••@acme.example' }],
    },
  ),
)
export type StepUpBegun = Static<typeof StepUpBegun>

export const StepUpVerifyBody = Type.Object({
  password: Type.Optional(Password),
  otp_id: Type.Optional(
    Type.String({
      description: '`otp_id` in the response that started the step-up. Send it with `code`.',
      minLength: 1,
      maxLength: 64,
    }),
  ),
  challenge_token: Type.Optional(
    Type.String({
      description: '`challenge_token` in the response that started the step-up. Send it with `code`.',
      minLength: 1,
      maxLength: 100,
      examples: [TOKEN],
    }),
  ),
  code: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The code. Send it with otp_id or challenge_token.',
      examples: ['492039'],
    }),
  ),
  challengeId: Type.Optional(
    Type.String({
      description: '`challengeId` in the response that started the step-up. Send it with `credential`.',
      minLength: 1,
      maxLength: 64,
    }),
  ),
  credential: Type.Optional(SignInCredential),
})

export const SteppedUp = named(
  'SteppedUp',
  Type.Object(
    {
      access_token: Type.String({
        description: 'The new access token of the same session.',
        examples: [exampleTokens.access_token],
      }),
      expires_in: Type.Integer({
        description: 'Lifetime of the access token, in seconds.',
        examples: [exampleTokens.expires_in],
      }),
      auth_time: Type.Integer({
        description: 'When the user stepped up, in seconds since 1970.',
        examples: [1_795_336_200],
      }),
      amr: Type.Array(Type.String({ examples: ['otp'] })),
      aal: Type.String({ examples: ['aal1'] }),
    },
    { description: 'A fresh access token of the same session.' },
  ),
)

/** A proof of the caller's identity. */
export type StepUpAnswer =
  | { kind: 'password'; password: string }
  | { kind: 'otp'; otpId: string; code: string }
  | { kind: 'factor'; token: string; code: string }
  | { kind: 'passkey'; challengeId: string; credential: Static<typeof SignInCredential> }

/** Reads the proof in a body. Throws `invalid_request` if there is none, more than one, or an incomplete one. */
export function readAnswer(body: Static<typeof StepUpVerifyBody>): StepUpAnswer {
  const { password, otp_id: otpId, challenge_token: token, code, challengeId, credential } = body
  const complete: (StepUpAnswer | null)[] = [
    password === undefined ? null : { kind: 'password', password },
    otpId === undefined || code === undefined ? null : { kind: 'otp', otpId, code },
    token === undefined || code === undefined ? null : { kind: 'factor', token, code },
    challengeId === undefined || credential === undefined ? null : { kind: 'passkey', challengeId, credential },
  ]
  const [answer = null, ...more] = complete.filter((each) => each !== null)
  const fields = { password: 1, otp: 2, factor: 2, passkey: 2 }
  if (answer && more.length === 0 && Object.keys(body).length === fields[answer.kind]) return answer
  const names = ['password', 'otp_id', 'challenge_token', 'challengeId']
  const message =
    'Send one proof: password, otp_id with code, challenge_token with code, or challengeId with credential'
  throw invalidField(names, 'exactly_one', message)
}
