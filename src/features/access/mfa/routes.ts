import { Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { named, Success } from '../../../platform/schema.ts'
import { reachUser, userErrors } from '../../directory/users/users.ts'
import { forgetDeviceOf, listDevicesOf } from './devices.ts'
import { mfaErrors } from './errors.ts'
import { mfaEvents } from './events.ts'
import { changeDefaultPolicy, changePolicy, policyOf, showPolicy } from './policy.ts'
import { previewPolicy } from './preview.ts'
import { DevicesReply, FactorUserId, MfaPolicy, PolicyPatch, PreviewQuery, PreviewReply } from './schema.ts'

const tag = 'MFA'
const PolicyReply = named('MfaPolicyReply', Type.Object({ policy: MfaPolicy }))

export const mfaRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/policy',
    team: 'own',
    operation: 'mfa.getPolicy',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'Read the MFA policy',
    description:
      'Without subOrgId, an org-wide key (not limited to one organization) reads the defaults that the organizations of its environment inherit. With subOrgId `team`, team members and keys that may sign the team in read the policy of the account’s own team.',
    reply: PolicyReply,
    handle: async (work) => ({ policy: showPolicy(await policyOf(work)) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/mfa/policy',
    team: 'own',
    operation: 'mfa.updatePolicy',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Change the MFA policy',
    description:
      'Applies from the next sign-in, or for a session with one factor from its next refresh. Omitted fields are not changed, and null restores the inherited value. Policies that contradict themselves are refused. No change extends a grace period that has already started. To see which users a change would affect, call GET /v1/mfa/policy/preview. With subOrgId `team`, an owner of the account changes the policy of the team, with the access token of their own session.',
    body: PolicyPatch,
    reply: PolicyReply,
    event: [mfaEvents.policyUpdated, mfaEvents.teamPolicyUpdated],
    examples: { body: { require_mfa: true, grace_period_days: 14, enforce_for_roles: ['admin'] } },
    handle: async (work, { body }) => ({ policy: showPolicy(await changePolicy(work, body)) }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/mfa/policy/defaults',
    operation: 'mfa.updateDefaults',
    scope: 'mfa.write',
    tag,
    directory: 'account',
    writes: 'own-environment',
    summary: 'Change the default MFA policy',
    description:
      'Requires an org-wide key (not limited to one organization). An organization keeps the fields that it has set itself.',
    body: PolicyPatch,
    reply: PolicyReply,
    event: mfaEvents.policyUpdated,
    examples: { body: { require_mfa: true } },
    handle: async (work, { body }) => ({ policy: showPolicy(await changeDefaultPolicy(work, body)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/policy/preview',
    operation: 'mfa.previewPolicy',
    scope: 'mfa.read',
    service: 'mfa',
    tag,
    summary: 'Preview an MFA policy',
    description:
      'Shows which users a changed policy would affect, and changes nothing. Omitted parameters have their current value.',
    query: PreviewQuery,
    reply: PreviewReply,
    handle: async (work, { query }) => previewPolicy(work, query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/mfa/trusted-devices',
    operation: 'mfa.trustedDevices.list',
    scope: 'mfa.read',
    directory: 'reach',
    service: 'mfa',
    tag,
    summary: 'List trusted devices of a user',
    query: Type.Object({ userId: FactorUserId }),
    reply: DevicesReply,
    errors: [userErrors.notFound],
    async handle(work, { query }) {
      const { user, there } = await reachUser(work, query.userId)
      return listDevicesOf(there, user)
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/mfa/trusted-devices/{id}',
    operation: 'mfa.trustedDevices.delete',
    scope: 'mfa.write',
    service: 'mfa',
    tag,
    summary: 'Remove a trusted device',
    description: 'The next sign-in on this device requires the second factor again.',
    params: Type.Object({ id: Type.String({ description: 'Trusted device: `id` in `GET /v1/mfa/trusted-devices`.' }) }),
    reply: Success,
    errors: [mfaErrors.trustedDeviceNotFound],
    event: mfaEvents.trustedDeviceRemoved,
    handle: async (work, { params }) => {
      await forgetDeviceOf(work, params.id)
      return { success: true }
    },
  }),
]
