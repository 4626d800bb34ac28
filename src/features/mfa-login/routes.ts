import { Type } from 'typebox'
import { httpErrors } from '../../platform/errors.ts'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { doorErrors, SessionTokens } from '../login/login.ts'
import {
  beginTotp,
  enrollmentCodeInvalid,
  FactorUserId,
  mfaErrors,
  readEnrollment,
  removeTotpOf,
  renewBackupCodes,
} from '../mfa/mfa.ts'
import { userErrors } from '../users/users.ts'
import { passChallenge, sendChallengeCode } from './challenge.ts'
import { confirmTotpOf } from './enroll.ts'
import { EnrollmentReply, toEnrollment } from './schema.ts'

const tag = 'MFA'
const ChallengeToken = Type.String({ minLength: 1, maxLength: 100, description: 'As the sign-in answered it.' })
const BackupCodes = Type.Array(Type.String(), { description: 'Ten, each for one sign-in. Shown this once.' })
const NAMES_USER = 'userId goes into the body or the query.'

export const mfaLoginRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/totp',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'Tell what second factors a user has',
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
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Begin to enroll an authenticator app',
    description: 'Show the QR code, or secret for those who type; within ten minutes send the first code by PUT.',
    body: Type.Object({ userId: FactorUserId }),
    reply: Type.Object({
      pendingId: Type.String({ format: 'uuid' }),
      qrDataUrl: Type.String({ description: 'A PNG of otpauthUrl, as a data URL.' }),
      secret: Type.String({ description: 'Base32. Never shown again.' }),
      otpauthUrl: Type.String(),
      expires_at: Type.String({ format: 'date-time' }),
    }),
    errors: [userErrors.notFound, mfaErrors.verificationRequired, mfaErrors.methodDisabled, mfaErrors.alreadyEnrolled],
    secretReply: true,
    handle: async (work, { body }) => {
      const { expiresAt, ...pending } = await beginTotp(work, body.userId)
      return { ...pending, expires_at: expiresAt.toISOString() }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/mfa/totp',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Confirm the app by its first code',
    description:
      'Five wrong codes end the enrollment. With the challenge_token of a sign-in that said enrollment_required, the ' +
      'answer has the session too.',
    body: Type.Object({
      userId: FactorUserId,
      pendingId: Type.String({ minLength: 1, maxLength: 64 }),
      code: Type.String({ minLength: 1, maxLength: 20, description: 'Six digits.' }),
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
      mfaErrors.verificationRequired,
      enrollmentCodeInvalid,
      ...doorErrors,
    ],
    event: 'mfa.enrolled',
    maybeEvents: ['session.created', 'session.revoked', 'auth.login.succeeded'],
    secretReply: true,
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
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove the authenticator app',
    description:
      'Backup codes and trusted devices go as well, challenges end, and the user is told by mail. `required`: the ' +
      `policy asks for a factor, so the next sign-in enrolls one. ${NAMES_USER}`,
    query: Type.Object({ userId: Type.Optional(FactorUserId) }),
    body: Type.Object({
      userId: Type.Optional(FactorUserId),
      revokeSessions: Type.Optional(Type.Boolean({ description: 'Ends every session of the user. Default false.' })),
    }),
    reply: Type.Object({ success: Type.Boolean(), required: Type.Boolean() }),
    errors: [userErrors.notFound, mfaErrors.enrollmentNotFound],
    event: 'mfa.removed',
    maybeEvents: ['session.revoked'],
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
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Make new backup codes',
    description: 'The old ones end.',
    body: Type.Object({ userId: FactorUserId }),
    reply: Type.Object({ success: Type.Boolean(), backupCodes: BackupCodes }),
    errors: [userErrors.notFound, mfaErrors.verificationRequired, mfaErrors.enrollmentNotFound],
    event: 'mfa.backup_codes.regenerated',
    secretReply: true,
    handle: async (work, { body }) => ({
      success: true,
      backupCodes: await renewBackupCodes(work, body.userId),
    }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/challenge/verify',
    scope: 'auth.login',
    service: 'mfa',
    tag,
    summary: 'Exchange a challenge and a code for a session',
    description:
      'The code of an authenticator app, a backup code, or the code of a text message. Five tries a challenge; over ' +
      'all challenges of a user, wrong codes lock the second step as wrong passwords lock an address (lockout_*).',
    body: Type.Object({
      challenge_token: ChallengeToken,
      code: Type.String({ minLength: 1, maxLength: 40 }),
      trust_device: Type.Optional(
        Type.Boolean({ description: 'Remember the device for trusted_device_days, where the settings let it be.' }),
      ),
    }),
    reply: Type.Object({
      session: SessionTokens,
      trusted_device_token: Type.Optional(
        Type.String({ description: 'Keep it on the device; send it as X-Trusted-Device at its next sign-ins.' }),
      ),
      trusted_device_expires_at: Type.Optional(Type.String({ format: 'date-time' })),
    }),
    errors: [mfaErrors.codeInvalid, mfaErrors.challengeExpired, ...doorErrors],
    event: 'mfa.challenge.succeeded',
    maybeEvents: ['session.created', 'session.revoked', 'auth.login.succeeded'],
    secretReply: true,
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
    aliases: ['/v1/mfa/challenge/send'],
    scope: 'auth.login',
    service: 'mfa',
    tag,
    summary: 'Send a code by text message',
    description: 'To the phone that the user has enrolled. The newest code counts, while the challenge lives.',
    body: Type.Object({ challenge_token: ChallengeToken, method: Type.Enum(['sms']) }),
    reply: Type.Object({ delivery_hint: Type.String() }),
    errors: [mfaErrors.challengeExpired, ...doorErrors],
    secretReply: true,
    handle: async (work, { body }) => {
      const sent = await sendChallengeCode(work, body.challenge_token)
      return { delivery_hint: sent.deliveryHint }
    },
  }),
]

/** Throws `invalid_request` unless one place, or both alike, name the user. */
function oneUserId(inQuery: string | undefined, inBody: string | undefined): string {
  const userId = inBody ?? inQuery
  if (userId !== undefined && (inQuery === undefined || inQuery === userId)) return userId
  const message = 'userId has to be named once, in the body or in the query'
  throw httpErrors.invalidRequest({ detail: `${message}.`, errors: [{ field: 'userId', code: 'required', message }] })
}
