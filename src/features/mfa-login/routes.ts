import { Type } from 'typebox'
import { invalidField } from '../../platform/errors.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { doorErrors, loginErrors, loginEvents, SessionTokens } from '../login/login.ts'
import {
  beginTotp,
  enrollmentCodeInvalid,
  FactorRemoval,
  FactorUserId,
  mfaErrors,
  mfaEvents,
  readEnrollment,
  removeTotpOf,
  renewBackupCodes,
} from '../mfa/mfa.ts'
import { sessionEvents } from '../sessions/sessions.ts'
import { userErrors } from '../users/users.ts'
import { passChallenge, sendChallengeCode } from './challenge.ts'
import { confirmTotpOf } from './enroll.ts'
import { EnrollmentReply, toEnrollment } from './schema.ts'

const tag = 'MFA'
const ChallengeToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'From the response of the sign-in.',
  examples: ['mfa_3uJ0vQm8ZtW1nB7kYxR5cDpLs2Fa9HgE6oTiKbVwXyU'],
})
const BackupCodes = Type.Array(Type.String(), {
  description: 'Ten, each for one sign-in. Shown only once.',
  examples: [
    [
      '0-8WZQ4-M1XKD',
      '2-PVN6T-93GRC',
      '3-YH0BE-TK5AZ',
      '5-1QJSM-W8F7N',
      '7-K3M9X-2QPTA',
      'B-ZD4V6-0HNYR',
      'E-5XCTG-PA9JK',
      'K-Q2SW8-M7EB1',
      'T-9FRH3-VZ0DX',
      'X-4NGAY-6KCPQ',
    ],
  ],
})
const Secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const OPENED = [sessionEvents.created, sessionEvents.revoked, loginEvents.succeeded]
const NAMES_USER = 'Send userId in the body or the query.'

export const mfaLoginRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/totp',
    operation: 'mfa.totp.get',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'Read the second factors of a user',
    query: Type.Object({ userId: FactorUserId }),
    reply: EnrollmentReply,
    errors: [userErrors.notFound],
    handle: async (work, { query }) => ({
      enrollment: toEnrollment(await readEnrollment(work, query.userId)),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/totp',
    operation: 'mfa.totp.enroll',
    // What it answers is shown once.
    idempotency: false,
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Start enrolling an authenticator app',
    description: 'Show the QR code, and the secret for typing; send the first code by PUT within ten minutes.',
    body: Type.Object({ userId: FactorUserId }),
    reply: Type.Object({
      pendingId: Type.String({ format: 'uuid' }),
      qrDataUrl: Type.String({
        description: 'A PNG of otpauthUrl, as a data URL.',
        examples: ['data:image/png;base64,iVBORw0KGgo…'],
      }),
      secret: Type.String({ description: 'Base32. Never shown again.', examples: [Secret] }),
      otpauthUrl: Type.String({
        examples: [
          `otpauth://totp/Acme:ada%40acme.example?issuer=Acme&secret=${Secret}&algorithm=SHA1&digits=6&period=30`,
        ],
      }),
      expires_at: Type.String({ format: 'date-time' }),
    }),
    errors: [
      userErrors.notFound,
      userErrors.verificationRequired,
      loginErrors.methodDisabled,
      mfaErrors.alreadyEnrolled,
    ],
    handle: async (work, { body }) => {
      const { expiresAt, ...pending } = await beginTotp(work, body.userId)
      return { ...pending, expires_at: expiresAt.toISOString() }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/mfa/totp',
    operation: 'mfa.totp.confirm',
    // What it answers is shown once.
    idempotency: false,
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Confirm the app with its first code',
    description:
      'Five wrong codes end the enrollment. With the challenge_token of a sign-in that returned enrollment_required, ' +
      'the response also has the session.',
    body: Type.Object({
      userId: FactorUserId,
      pendingId: Type.String({ minLength: 1, maxLength: 64 }),
      code: Type.String({ minLength: 1, maxLength: 20, description: 'Six digits.', examples: ['492039'] }),
      challenge_token: Type.Optional(ChallengeToken),
    }),
    reply: Type.Object({
      success: Type.Boolean(),
      backupCodes: BackupCodes,
      session: Type.Optional(SessionTokens),
    }),
    errors: [
      userErrors.notFound,
      mfaErrors.alreadyEnrolled,
      mfaErrors.enrollmentNotFound,
      mfaErrors.challengeExpired,
      userErrors.verificationRequired,
      enrollmentCodeInvalid,
      ...doorErrors,
    ],
    event: mfaEvents.enrolled,
    maybeEvents: OPENED,
    handle: async (work, { body }) => {
      const { userId, pendingId, code, challenge_token: challengeToken = null } = body
      const sent = { userId, pendingId, code, challengeToken }
      const { backupCodes, session } = await confirmTotpOf(work, sent)
      return { success: true, backupCodes, ...(session ? { session } : {}) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/totp',
    operation: 'mfa.totp.remove',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove the authenticator app',
    description:
      'Also removes backup codes and trusted devices, ends challenges, and notifies the user by email. `required`: the ' +
      `policy requires a factor, so the next sign-in enrolls one. ${NAMES_USER}`,
    query: Type.Object({ userId: Type.Optional(FactorUserId) }),
    body: Type.Object({
      userId: Type.Optional(FactorUserId),
      revokeSessions: Type.Optional(Type.Boolean({ description: 'Ends every session of the user. Default false.' })),
    }),
    reply: FactorRemoval,
    errors: [userErrors.notFound, mfaErrors.enrollmentNotFound],
    event: mfaEvents.removed,
    maybeEvents: [sessionEvents.revoked],
    handle: async (work, { query, body }) => {
      const userId = oneUserId(query.userId, body.userId)
      const { revokeSessions = false } = body
      const required = await removeTotpOf(work, userId, revokeSessions)
      return { success: true, required }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/totp/backup-codes',
    operation: 'mfa.totp.renewBackupCodes',
    // What it answers is shown once.
    idempotency: false,
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Create new backup codes',
    description: 'The old ones stop working.',
    body: Type.Object({ userId: FactorUserId }),
    reply: Type.Object({ success: Type.Boolean(), backupCodes: BackupCodes }),
    errors: [userErrors.notFound, userErrors.verificationRequired, mfaErrors.enrollmentNotFound],
    event: mfaEvents.backupCodesRegenerated,
    handle: async (work, { body }) => ({
      success: true,
      backupCodes: await renewBackupCodes(work, body.userId),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/challenge/verify',
    operation: 'mfa.challenge.verify',
    idempotency: false,
    scope: 'auth.login',
    takesDevice: true,
    service: 'mfa',
    tag,
    summary: 'Exchange a challenge and a code for a session',
    description:
      'The code of an authenticator app, a backup code, or the code of a text message. Five attempts per challenge; over ' +
      'all challenges of a user, wrong codes lock the second step as wrong passwords lock an address (lockout_*).',
    body: Type.Object({
      challenge_token: ChallengeToken,
      code: Type.String({ minLength: 1, maxLength: 40, examples: ['492039'] }),
      trust_device: Type.Optional(
        Type.Boolean({
          description: 'Trust the device for trusted_device_days, if the settings allow it.',
          examples: [true],
        }),
      ),
    }),
    reply: Type.Object({
      session: SessionTokens,
      trusted_device_token: Type.Optional(
        Type.String({
          description: 'Keep it on the device; send it as X-Trusted-Device at later sign-ins.',
          examples: ['td_9fKq2LrVb6XwZ1mTnC8sJ4hYpD7gE3aUoR5iNtBvMxQ'],
        }),
      ),
      trusted_device_expires_at: Type.Optional(Type.String({ format: 'date-time' })),
    }),
    errors: [mfaErrors.codeInvalid, mfaErrors.challengeExpired, ...doorErrors],
    event: mfaEvents.challengeSucceeded,
    maybeEvents: [...OPENED, mfaEvents.trustedDeviceAdded],
    handle: async (work, { body }) => {
      const sent = { token: body.challenge_token, code: body.code, trustDevice: body.trust_device ?? false }
      const { session, device } = await passChallenge(work, sent)
      if (!device) return { session }
      const { token, expiresAt } = device
      return { session, trusted_device_token: token, trusted_device_expires_at: expiresAt.toISOString() }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/auth/mfa/challenge/send',
    operation: 'mfa.challenge.send',
    aliases: ['/v1/mfa/challenge/send'],
    scope: 'auth.login',
    service: 'mfa',
    tag,
    summary: 'Send a code by text message',
    description: 'To the phone that the user has enrolled. Only the newest code is valid, while the challenge lives.',
    body: Type.Object({ challenge_token: ChallengeToken, method: Type.Enum(['sms']) }),
    reply: Type.Object({
      delivery_hint: Type.String({ description: 'The number, masked.', examples: ['+•••••23'] }),
    }),
    errors: [mfaErrors.challengeExpired, ...doorErrors],
    handle: async (work, { body }) => {
      const sent = await sendChallengeCode(work, body.challenge_token)
      return { delivery_hint: sent.deliveryHint }
    },
  }),
]

/** Throws `invalid_request` unless body or query, or both identically, name the user. */
function oneUserId(inQuery: string | undefined, inBody: string | undefined): string {
  const userId = inBody ?? inQuery
  if (userId !== undefined && (inQuery === undefined || inQuery === userId)) return userId
  throw invalidField('userId', 'required', 'userId must be given once, in the body or in the query')
}
