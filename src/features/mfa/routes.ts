import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { isId } from '../../platform/ids.ts'
import { forgetDevice, listDevices } from '../factors/factors.ts'
import { getUser, userErrors } from '../users/users.ts'
import { enrollmentCodeInvalid, mfaErrors } from './errors.ts'
import { changePolicy, policyOf, previewPolicy, showPolicy } from './policy.ts'
import {
  FactorUserId,
  MfaPolicy,
  PolicyPatch,
  PreviewQuery,
  PreviewReply,
  TrustedDevice,
  toTrustedDevice,
} from './schema.ts'
import { beginPhone, confirmPhoneOf, removePhoneOf } from './sms.ts'

const tag = 'MFA'
const PolicyReply = Type.Object({ policy: MfaPolicy })
const LONGEST_TRUST_DAYS = 90

export const mfaRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/policy',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'Read the MFA policy',
    reply: PolicyReply,
    handle: async (work) => ({ policy: showPolicy(await policyOf(work)) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/mfa/policy',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Change the MFA policy',
    description:
      'Holds for the next sign-in, and for the next refresh of a session that was opened with one factor. What stays ' +
      'out is as it was, null restores the default. A policy that contradicts itself is refused. The grace of a user ' +
      'is settled once: no change gives more. GET /v1/mfa/policy/preview tells whom a change would reach.',
    body: PolicyPatch,
    reply: PolicyReply,
    event: 'mfa.policy.updated',
    examples: { body: { require_mfa: true, grace_period_days: 14, enforce_for_roles: ['admin'] } },
    handle: async (work, { body }) => ({ policy: showPolicy(await changePolicy(work, body)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/policy/preview',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'Tell whom a policy would reach',
    description: 'Changes nothing. Fields that are left out are as they are now.',
    query: PreviewQuery,
    reply: PreviewReply,
    handle: async (work, { query }) => previewPolicy(work, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/sms',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Send a code to a phone that is to be a second factor',
    description: 'Where the policy allows sms and messages can leave. The code works for ten minutes.',
    body: Type.Object({
      userId: FactorUserId,
      phone: Type.String({ minLength: 1, maxLength: 32, description: 'E.164, such as +14155550123.' }),
    }),
    reply: Type.Object({ delivery_hint: Type.String(), expires_at: Type.String({ format: 'date-time' }) }),
    errors: [userErrors.notFound, mfaErrors.verificationRequired, mfaErrors.methodDisabled, mfaErrors.alreadyEnrolled],
    secretReply: true,
    handle: async (work, { body }) => {
      const sent = await beginPhone(work, body.userId, body.phone)
      return { delivery_hint: sent.deliveryHint, expires_at: sent.expiresAt.toISOString() }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/mfa/sms',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Confirm the phone by the code that was sent',
    body: Type.Object({ userId: FactorUserId, code: Type.String({ minLength: 1, maxLength: 20 }) }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [
      userErrors.notFound,
      mfaErrors.verificationRequired,
      mfaErrors.methodDisabled,
      mfaErrors.enrollmentNotFound,
      enrollmentCodeInvalid,
    ],
    event: 'mfa.enrolled',
    secretReply: true,
    handle: async (work, { body }) => {
      await confirmPhoneOf(work, body.userId, body.code)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/sms',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove the phone',
    description: 'Trusted devices of the user go as well, challenges end, and the user is told by mail.',
    query: Type.Object({ userId: FactorUserId }),
    reply: Type.Object({ success: Type.Boolean(), required: Type.Boolean() }),
    errors: [userErrors.notFound, mfaErrors.enrollmentNotFound],
    event: 'mfa.removed',
    handle: async (work, { query }) => ({
      success: true,
      required: await removePhoneOf(work, query.userId),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/trusted-devices',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'List the trusted devices of a user',
    query: Type.Object({ userId: FactorUserId }),
    reply: Type.Object({ devices: Type.Array(TrustedDevice) }),
    errors: [userErrors.notFound],
    handle: async (work, { query }) => {
      const user = await getUser(work, query.userId)
      const devices = await listDevices(work, user.id, LONGEST_TRUST_DAYS)
      return { devices: devices.map(toTrustedDevice) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/trusted-devices/{id}',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Forget a trusted device',
    description: 'The next sign-in from it asks for the second factor again.',
    params: Type.Object({ id: Type.String() }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [mfaErrors.trustedDeviceNotFound],
    handle: async (work, { params }) => {
      const id = params.id.toLowerCase()
      if (!isId(id) || !(await forgetDevice(work, id))) throw mfaErrors.trustedDeviceNotFound()
      return { success: true }
    },
  }),
]
