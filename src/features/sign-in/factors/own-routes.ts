import { Type } from 'typebox'
import { defineOwnRoute } from '../../../platform/http/own-route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { loginErrors } from '../../access/login/login.ts'
import { defineSignInMethodRoute, selfManagementErrors } from '../../access/self-management/self-management.ts'
import { sessionEvents } from '../../access/sessions/sessions.ts'
import { confirmTotpOf, proveApp } from './confirmation.ts'
import { beginTotp, prepareBackupCodes, readEnrollment, renewBackupCodes } from './enrollment.ts'
import { enrollmentCodeInvalid, factorErrors } from './errors.ts'
import { factorEvents } from './events.ts'
import { endsOthers, removeOwnPhone, removeOwnTotp } from './own.ts'
import {
  BackupCodesReply,
  EnrollmentReply,
  FactorPhone,
  PendingPhone,
  PendingTotp,
  showPending,
  TotpCode,
  toEnrollment,
} from './schema.ts'
import { beginPhone, confirmPhoneOf } from './sms.ts'

const service = 'mfa'
const Success = Type.Object({ success: Type.Boolean() })
const maybeEvents = [sessionEvents.revoked]

const app: Route[] = [
  defineOwnRoute({
    method: 'GET',
    path: '/v1/me/mfa/totp',
    operation: 'me.totp.get',
    service,
    summary: 'Read your second factors',
    reply: EnrollmentReply,
    async handle(work) {
      const { directoryUserId: id, userId } = work.caller
      return { enrollment: toEnrollment(await readEnrollment(work, id), { id, auth_account_id: userId }) }
    },
  }),
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/mfa/totp',
    operation: 'me.totp.start',
    service,
    summary: 'Start enrolling your authenticator app',
    description: 'Show the QR code to the user, and send the first code of the app with PUT within ten minutes.',
    reply: PendingTotp,
    errors: [loginErrors.methodDisabled, factorErrors.alreadyEnrolled],
    handle: async (work) => showPending(await beginTotp(work, work.caller.directoryUserId)),
  }),
  defineSignInMethodRoute({
    method: 'PUT',
    path: '/v1/me/mfa/totp',
    operation: 'me.totp.verify',
    service,
    summary: 'Confirm your authenticator app',
    description: 'Five wrong codes end the enrollment. Success ends your other sessions and sign-ins in progress.',
    body: Type.Object({
      pendingId: Type.String({
        description: '`pendingId` of the response that started the enrollment.',
        minLength: 1,
        maxLength: 64,
      }),
      code: TotpCode,
    }),
    reply: BackupCodesReply,
    errors: [
      loginErrors.methodDisabled,
      factorErrors.alreadyEnrolled,
      factorErrors.enrollmentNotFound,
      enrollmentCodeInvalid,
    ],
    event: factorEvents.enrolled,
    maybeEvents,
    async handle(work, { body: { pendingId, code } }) {
      const userId = work.caller.directoryUserId
      const proven = await proveApp(work, { userId, pendingId, code }, null)
      return { success: true, backupCodes: (await confirmTotpOf(work, proven, endsOthers(work))).backupCodes }
    },
  }),
  defineSignInMethodRoute({
    method: 'DELETE',
    path: '/v1/me/mfa/totp',
    operation: 'me.totp.delete',
    service,
    summary: 'Remove your authenticator app',
    description:
      'Also removes backup codes and trusted devices. The last factor cannot be removed if the policy requires one.',
    reply: Success,
    errors: [factorErrors.enrollmentNotFound, selfManagementErrors.lastFactor],
    event: factorEvents.removed,
    maybeEvents,
    async handle(work) {
      await removeOwnTotp(work)
      return { success: true }
    },
  }),
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/mfa/totp/backup-codes',
    operation: 'me.totp.createBackupCodes',
    service,
    summary: 'Create new backup codes for yourself',
    description: 'The old backup codes stop working.',
    reply: BackupCodesReply,
    errors: [factorErrors.enrollmentNotFound],
    event: factorEvents.backupCodesRegenerated,
    maybeEvents,
    async handle(work) {
      const prepared = await prepareBackupCodes(work, work.caller.directoryUserId)
      return { success: true, backupCodes: await renewBackupCodes(work, prepared, endsOthers(work)) }
    },
  }),
]

const phone: Route[] = [
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/mfa/phone',
    operation: 'me.phone.start',
    service,
    summary: 'Start enrolling your phone',
    description: 'Sends a six-digit code that is valid for ten minutes.',
    body: Type.Object({ phone: FactorPhone }),
    reply: PendingPhone,
    errors: [loginErrors.methodDisabled, factorErrors.alreadyEnrolled],
    async handle(work, { body }) {
      const sent = await beginPhone(work, work.caller.directoryUserId, body.phone)
      return { delivery_hint: sent.deliveryHint, expires_at: sent.expiresAt.toISOString() }
    },
  }),
  defineSignInMethodRoute({
    method: 'PUT',
    path: '/v1/me/mfa/phone',
    operation: 'me.phone.verify',
    service,
    summary: 'Confirm your phone',
    description: 'Ends your other sessions and sign-ins in progress.',
    body: Type.Object({ code: TotpCode }),
    reply: Success,
    errors: [loginErrors.methodDisabled, factorErrors.enrollmentNotFound, enrollmentCodeInvalid],
    event: factorEvents.enrolled,
    maybeEvents,
    async handle(work, { body }) {
      await confirmPhoneOf(work, work.caller.directoryUserId, body.code, endsOthers(work))
      return { success: true }
    },
  }),
  defineSignInMethodRoute({
    method: 'DELETE',
    path: '/v1/me/mfa/phone',
    operation: 'me.phone.delete',
    service,
    summary: 'Remove your phone',
    description: 'Also removes trusted devices. The last factor cannot be removed if the policy requires one.',
    reply: Success,
    errors: [factorErrors.enrollmentNotFound, selfManagementErrors.lastFactor],
    event: factorEvents.removed,
    maybeEvents,
    async handle(work) {
      await removeOwnPhone(work)
      return { success: true }
    },
  }),
]

export const ownFactorRoutes: Route[] = [...app, ...phone]
