import { Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import type { EventDefinition } from '../../../platform/events/events.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { described, Success } from '../../../platform/schema.ts'
import { SessionTokens } from '../../access/claims/claims.ts'
import { doorRoutes, loginErrors } from '../../access/login/login.ts'
import { FactorUserId } from '../../access/mfa/mfa.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { reachUser, userErrors, userEvents } from '../../directory/users/users.ts'
import { assertMayEnroll, ChallengeToken, challengeErrors, completedEvents } from '../challenges/challenges.ts'
import { confirmTotpOf, proveApp } from './confirmation.ts'
import { beginTotp, prepareBackupCodes, readEnrollment, removeTotpOf, renewBackupCodes } from './enrollment.ts'
import { enrollmentCodeInvalid, factorErrors } from './errors.ts'
import { factorEvents } from './events.ts'
import {
  BackupCodes,
  BackupCodesReply,
  EnrollmentReply,
  FactorPhone,
  FactorRemoval,
  PendingPhone,
  PendingTotp,
  showPending,
  TotpCode,
  toEnrollment,
} from './schema.ts'
import { endsErrors, endsFields, readEnds } from './sessions-end.ts'
import { beginPhone, confirmPhoneOf, removePhoneOf } from './sms.ts'

const tag = 'MFA'
const NAMES_USER = 'Send userId in the body or the query.'
const LESSER_SCOPE = 'With a challenge_token, the scope auth.login is enough.'
const TEAM_CHALLENGE = 'Team members can enroll here only with a challenge_token, or themselves at /v1/me/mfa/totp.'
// The errors of the routes with which a backend enrolls a user.
const enrolling = [userErrors.notFound, userErrors.verificationRequired, loginErrors.methodDisabled]
const ENDS = 'Voids codes, links and challenges of the user’s sign-ins in progress.'

const startRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/totp',
    operation: 'mfa.totp.get',
    scope: 'mfa.read',
    directory: 'reach',
    service: 'mfa',
    tag,
    summary: 'Read second factors of a user',
    query: Type.Object({ userId: FactorUserId }),
    reply: EnrollmentReply,
    errors: [userErrors.notFound],
    async handle(work, { query }) {
      const { user, there } = await reachUser(work, query.userId)
      return { enrollment: toEnrollment(await readEnrollment(there, user.id), user) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/totp',
    team: true,
    operation: 'mfa.totp.start',
    scope: 'mfa.write',
    lesserScope: 'auth.login',
    service: 'mfa',
    tag,
    summary: 'Start enrolling an authenticator app',
    description:
      'Show the user the QR code, or the secret to type in. Send the first code of the app with PUT within ten minutes. A challenge_token ' +
      `can enroll only the user of that sign-in. ${LESSER_SCOPE} ${TEAM_CHALLENGE}`,
    body: Type.Object({ userId: FactorUserId, challenge_token: Type.Optional(ChallengeToken) }),
    reply: PendingTotp,
    errors: [...enrolling, factorErrors.alreadyEnrolled, challengeErrors.expired],
    async handle(work, { body }) {
      await assertMayEnroll(work, body)
      return showPending(await beginTotp(work, body.userId))
    },
  }),
]

function confirmRoute(changes: EventDefinition[]): Route {
  return defineRoute({
    method: 'PUT',
    path: '/v1/mfa/totp',
    team: true,
    operation: 'mfa.totp.verify',
    scope: 'mfa.write',
    lesserScope: 'auth.login',
    service: 'mfa',
    tag,
    summary: 'Confirm an authenticator app',
    description:
      'Five wrong codes end the enrollment. With the challenge_token of a sign-in that returned enrollment_required, ' +
      `the response also has the session. ${LESSER_SCOPE} ${TEAM_CHALLENGE} ${ENDS}`,
    body: Type.Object({
      userId: FactorUserId,
      pendingId: Type.String({
        description: '`pendingId` of the response that started the enrollment.',
        minLength: 1,
        maxLength: 64,
      }),
      code: TotpCode,
      challenge_token: Type.Optional(ChallengeToken),
      ...endsFields,
    }),
    reply: Type.Object({
      success: Type.Boolean(),
      backupCodes: BackupCodes,
      session: Type.Optional(described(SessionTokens, 'The session of the sign-in. Only with `challenge_token`.')),
    }),
    errors: [
      ...endsErrors,
      userErrors.notFound,
      factorErrors.alreadyEnrolled,
      factorErrors.enrollmentNotFound,
      challengeErrors.expired,
      userErrors.verificationRequired,
      enrollmentCodeInvalid,
      ...doorRoutes.errors,
    ],
    event: factorEvents.enrolled,
    maybeEvents: completedEvents(changes),
    async prepare(work, { body }) {
      await assertMayEnroll(work, body)
      const ends = await readEnds(work, body)
      return { ends, proven: await proveApp(work, body, body.challenge_token ?? null) }
    },
    handle: async (work, _, { ends, proven }) => {
      const { backupCodes, session } = await confirmTotpOf(work, proven, ends)
      return { success: true, backupCodes, ...(session ? { session } : {}) }
    },
  })
}

const changeRoutes: Route[] = [
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/totp',
    operation: 'mfa.totp.delete',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove the authenticator app',
    description:
      'Also removes backup codes and trusted devices, ends sign-ins in progress, and notifies the user by email. If `required` ' +
      `is true, the policy requires a factor, and the user must enroll one at the next sign-in. ${NAMES_USER}`,
    query: Type.Object({ userId: Type.Optional(FactorUserId) }),
    body: Type.Object({ userId: Type.Optional(FactorUserId), ...endsFields }),
    reply: FactorRemoval,
    errors: [...endsErrors, userErrors.notFound, factorErrors.enrollmentNotFound],
    event: factorEvents.removed,
    maybeEvents: [sessionEvents.revoked, userEvents.updated],
    handle: async (work, { query, body }) => {
      const userId = oneUserId(query.userId, body.userId)
      return { success: true, required: await removeTotpOf(work, userId, await readEnds(work, body)) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/totp/backup-codes',
    operation: 'mfa.totp.createBackupCodes',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Create new backup codes',
    description: `The old backup codes stop working. ${ENDS}`,
    body: Type.Object({ userId: FactorUserId, ...endsFields }),
    reply: BackupCodesReply,
    errors: [...endsErrors, userErrors.notFound, userErrors.verificationRequired, factorErrors.enrollmentNotFound],
    event: factorEvents.backupCodesRegenerated,
    maybeEvents: [sessionEvents.revoked, userEvents.updated],
    prepare: async (work, { body }) =>
      [await readEnds(work, body), await prepareBackupCodes(work, body.userId)] as const,
    handle: async (work, _, [ends, made]) => ({ success: true, backupCodes: await renewBackupCodes(work, made, ends) }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/sms',
    operation: 'mfa.sms.start',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Start enrolling a phone',
    description:
      'Sends a six-digit code to the phone. Requires that the MFA policy allows sms and that SMS sending is configured. The code is valid for ten minutes.',
    body: Type.Object({
      userId: FactorUserId,
      phone: FactorPhone,
    }),
    reply: PendingPhone,
    errors: [...enrolling, factorErrors.alreadyEnrolled],
    handle: async (work, { body }) => {
      const sent = await beginPhone(work, body.userId, body.phone)
      return { delivery_hint: sent.deliveryHint, expires_at: sent.expiresAt.toISOString() }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/mfa/sms',
    operation: 'mfa.sms.verify',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Confirm a phone',
    description: ENDS,
    body: Type.Object({
      userId: FactorUserId,
      code: Type.String({
        description: 'The six digits of the text message.',
        minLength: 1,
        maxLength: 20,
        examples: ['492039'],
      }),
      ...endsFields,
    }),
    reply: Success,
    errors: [
      ...endsErrors,
      userErrors.notFound,
      userErrors.verificationRequired,
      loginErrors.methodDisabled,
      factorErrors.enrollmentNotFound,
      enrollmentCodeInvalid,
    ],
    event: factorEvents.enrolled,
    maybeEvents: [sessionEvents.revoked, userEvents.updated],
    handle: async (work, { body }) => {
      await confirmPhoneOf(work, body.userId, body.code, await readEnds(work, body))
      return { success: true }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/sms',
    operation: 'mfa.sms.delete',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove the phone',
    description: 'Also removes the user’s trusted devices, ends sign-ins in progress, and notifies the user by email.',
    query: Type.Object({ userId: FactorUserId }),
    body: Type.Object(endsFields),
    reply: FactorRemoval,
    errors: [...endsErrors, userErrors.notFound, factorErrors.enrollmentNotFound],
    event: factorEvents.removed,
    maybeEvents: [sessionEvents.revoked, userEvents.updated],
    handle: async (work, { query, body }) => ({
      success: true,
      required: await removePhoneOf(work, query.userId, await readEnds(work, body)),
    }),
  }),
]

/** `changes`: the events of changes that waited for the second factor. */
export const factorRoutes = (changes: EventDefinition[]): Route[] => [
  ...startRoutes,
  confirmRoute(changes),
  ...changeRoutes,
]

/** Returns the user id of the body or the query. Throws `invalid_request` if neither has one or they differ. */
function oneUserId(inQuery: string | undefined, inBody: string | undefined): string {
  const userId = inBody ?? inQuery
  if (userId !== undefined && (inQuery === undefined || inQuery === userId)) return userId
  throw invalidField('userId', 'required', 'userId must be given once, in the body or in the query')
}
