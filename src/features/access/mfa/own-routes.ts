import { Type } from 'typebox'
import { defineOwnRoute } from '../../../platform/http/own-route.ts'
import type { Route } from '../../../platform/http/route.ts'
import { forgetDeviceOf, listDevicesOf } from './devices.ts'
import { mfaErrors } from './errors.ts'
import { mfaEvents } from './events.ts'
import { DevicesReply } from './schema.ts'

const service = 'mfa'
const Success = Type.Object({ success: Type.Boolean() })

export const ownDeviceRoutes: Route[] = [
  defineOwnRoute({
    method: 'GET',
    path: '/v1/me/trusted-devices',
    operation: 'me.trustedDevices.list',
    service,
    summary: 'List your trusted devices',
    reply: DevicesReply,
    handle: (work) => listDevicesOf(work, { id: work.caller.directoryUserId, auth_account_id: work.caller.userId }),
  }),
  defineOwnRoute({
    method: 'DELETE',
    path: '/v1/me/trusted-devices/{id}',
    operation: 'me.trustedDevices.delete',
    service,
    summary: 'Remove one of your trusted devices',
    params: Type.Object({ id: Type.String({ description: 'Trusted device: `id` in `GET /v1/me/trusted-devices`.' }) }),
    reply: Success,
    errors: [mfaErrors.trustedDeviceNotFound],
    event: mfaEvents.trustedDeviceRemoved,
    async handle(work, { params }) {
      await forgetDeviceOf(work, params.id, work.caller.directoryUserId)
      return { success: true }
    },
  }),
]
