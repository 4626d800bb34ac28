import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { named } from '../../platform/schema.ts'
import { loginErrors } from '../login/login.ts'
import { userErrors } from '../users/users.ts'
import { forgetDeviceOf, listDevicesOf } from './devices.ts'
import { enrollmentCodeInvalid, mfaErrors } from './errors.ts'
import { mfaEvents } from './events.ts'
import { changePolicy, policyOf, previewPolicy, showPolicy } from './policy.ts'
import {
  FactorRemoval,
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
const DeliveryHint = Type.String({ description: 'The number, masked.', examples: ['+•••••23'] })
const PolicyReply = named('MfaPolicyReply', Type.Object({ policy: MfaPolicy }))

export const mfaRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/policy',
    operation: 'mfa.getPolicy',
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
    operation: 'mfa.updatePolicy',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Change the MFA policy',
    description:
      'Applies to the next sign-in, and to the next refresh of a session that was opened with one factor. Absent fields ' +
      'are kept, null restores the default. A policy that contradicts itself is refused. A user’s grace period is fixed ' +
      'once: no change extends it. GET /v1/mfa/policy/preview shows whom a change would affect.',
    body: PolicyPatch,
    reply: PolicyReply,
    event: mfaEvents.policyUpdated,
    examples: { body: { require_mfa: true, grace_period_days: 14, enforce_for_roles: ['admin'] } },
    handle: async (work, { body }) => ({ policy: showPolicy(await changePolicy(work, body)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/policy/preview',
    operation: 'mfa.previewPolicy',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'Preview whom a policy would affect',
    description: 'Changes nothing. Absent fields keep their current value.',
    query: PreviewQuery,
    reply: PreviewReply,
    handle: async (work, { query }) => previewPolicy(work, query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/mfa/sms',
    operation: 'mfa.sms.enroll',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Start enrolling a phone as a second factor',
    description: 'Sends a code, if the policy allows sms and messages can be sent. It works for ten minutes.',
    body: Type.Object({
      userId: FactorUserId,
      phone: Type.String({
        minLength: 1,
        maxLength: 32,
        description: 'E.164, such as +14155550123.',
        examples: ['+14155550123'],
      }),
    }),
    reply: Type.Object({ delivery_hint: DeliveryHint, expires_at: Type.String({ format: 'date-time' }) }),
    errors: [
      userErrors.notFound,
      userErrors.verificationRequired,
      loginErrors.methodDisabled,
      mfaErrors.alreadyEnrolled,
    ],
    handle: async (work, { body }) => {
      const sent = await beginPhone(work, body.userId, body.phone)
      return { delivery_hint: sent.deliveryHint, expires_at: sent.expiresAt.toISOString() }
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/mfa/sms',
    operation: 'mfa.sms.confirm',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Confirm the phone with the code that was sent',
    body: Type.Object({
      userId: FactorUserId,
      code: Type.String({ minLength: 1, maxLength: 20, examples: ['492039'] }),
    }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [
      userErrors.notFound,
      userErrors.verificationRequired,
      loginErrors.methodDisabled,
      mfaErrors.enrollmentNotFound,
      enrollmentCodeInvalid,
    ],
    event: mfaEvents.enrolled,
    handle: async (work, { body }) => {
      await confirmPhoneOf(work, body.userId, body.code)
      return { success: true }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/sms',
    operation: 'mfa.sms.remove',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove the phone',
    description: 'Also removes the user’s trusted devices, ends challenges, and notifies the user by email.',
    query: Type.Object({ userId: FactorUserId }),
    reply: FactorRemoval,
    errors: [userErrors.notFound, mfaErrors.enrollmentNotFound],
    event: mfaEvents.removed,
    handle: async (work, { query }) => ({
      success: true,
      required: await removePhoneOf(work, query.userId),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/trusted-devices',
    operation: 'mfa.trustedDevices.list',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'List the trusted devices of a user',
    query: Type.Object({ userId: FactorUserId }),
    reply: Type.Object({ devices: Type.Array(TrustedDevice) }),
    errors: [userErrors.notFound],
    handle: async (work, { query }) => ({
      devices: (await listDevicesOf(work, query.userId)).map(toTrustedDevice),
    }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/trusted-devices/{id}',
    operation: 'mfa.trustedDevices.forget',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove a trusted device',
    description: 'Its next sign-in requires the second factor again.',
    params: Type.Object({ id: Type.String() }),
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [mfaErrors.trustedDeviceNotFound],
    event: mfaEvents.trustedDeviceRemoved,
    handle: async (work, { params }) => {
      await forgetDeviceOf(work, params.id)
      return { success: true }
    },
  }),
]
