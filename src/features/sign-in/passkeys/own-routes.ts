import { Type } from 'typebox'
import { defineOwnRoute } from '../../../platform/http/own-route.ts'
import { wholeList, wholeListReply } from '../../../platform/http/pagination.ts'
import type { Route } from '../../../platform/http/route.ts'
import { described } from '../../../platform/schema.ts'
import { reachOf } from '../../../platform/tenancy/directory.ts'
import { defineSignInMethodRoute, selfManagementErrors } from '../../access/self-management/self-management.ts'
import { listPasskeysOf } from './administration.ts'
import { passkeyErrors } from './errors.ts'
import { passkeyEvents } from './events.ts'
import { deleteOwnPasskey, renameOwnPasskey } from './own.ts'
import { finishRegistration, startRegistration } from './registration.ts'
import {
  ChallengeId,
  CreationOptions,
  Passkey,
  PasskeyName,
  PasskeyPatch,
  REGISTER_EXAMPLE,
  RegistrationCredential,
} from './schema.ts'

const service = 'passkeys'
const signInMethod = 'passkey'
const params = Type.Object({
  id: Type.String({ minLength: 1, description: '`id` or `credentialId` of the passkey.' }),
})

export const ownPasskeyRoutes: Route[] = [
  defineOwnRoute({
    method: 'GET',
    path: '/v1/me/passkeys',
    operation: 'me.passkeys.list',
    service,
    summary: 'List your passkeys',
    reply: Type.Object({
      credentials: Type.Array(Passkey, { description: 'Passkeys of the signed-in user, oldest first.' }),
      ...wholeListReply,
    }),
    async handle(work) {
      const { directory, caller } = work
      const there = { ...work, reach: reachOf(directory) }
      return { credentials: await listPasskeysOf(there, caller.directoryUserId), ...wholeList }
    },
  }),
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/passkeys/options',
    operation: 'me.passkeys.start',
    service,
    signInMethod,
    summary: 'Start registering a passkey for yourself',
    description: 'Pass the options to navigator.credentials.create(), and its result to /v1/me/passkeys/verify.',
    reply: Type.Object({
      options: described(CreationOptions, 'For `navigator.credentials.create()` in the browser.'),
      challengeId: ChallengeId,
    }),
    errors: [passkeyErrors.limitReached, passkeyErrors.recentSignInRequired],
    examples: { reply: REGISTER_EXAMPLE },
    handle: (work) =>
      startRegistration(work, { userId: work.caller.directoryUserId, sessionId: work.caller.sessionId }),
  }),
  defineSignInMethodRoute({
    method: 'POST',
    path: '/v1/me/passkeys/verify',
    operation: 'me.passkeys.verify',
    service,
    signInMethod,
    summary: 'Register a passkey for yourself',
    description: 'A challenge can be answered once, within 300 seconds. The user is notified by email.',
    body: Type.Object({
      challengeId: Type.String({
        description: '`challengeId` of the response with the options.',
        minLength: 1,
        maxLength: 64,
      }),
      credential: RegistrationCredential,
      deviceName: Type.Optional(PasskeyName),
    }),
    reply: Type.Object({ success: Type.Boolean(), credential: described(Passkey, 'The passkey that was registered.') }),
    errors: [passkeyErrors.passkeyInvalid, passkeyErrors.exists, passkeyErrors.limitReached],
    event: passkeyEvents.registered,
    async handle(work, { body: { deviceName = null, ...answer } }) {
      const sent = { userId: work.caller.directoryUserId, deviceName, ...answer }
      return { success: true, credential: await finishRegistration(work, sent) }
    },
  }),
  defineOwnRoute({
    method: 'PATCH',
    path: '/v1/me/passkeys/{id}',
    operation: 'me.passkeys.update',
    service,
    summary: 'Rename one of your passkeys',
    params,
    body: PasskeyPatch,
    reply: Type.Object({ credential: described(Passkey, 'The passkey with its new name.') }),
    errors: [passkeyErrors.notFound],
    maybeEvents: [passkeyEvents.updated],
    examples: { body: { deviceName: 'Ada’s phone' } },
    handle: async (work, { params, body }) => ({
      credential: await renameOwnPasskey(work, params.id, body.deviceName || null),
    }),
  }),
  defineSignInMethodRoute({
    method: 'DELETE',
    path: '/v1/me/passkeys/{id}',
    operation: 'me.passkeys.delete',
    service,
    summary: 'Delete one of your passkeys',
    description: 'The user is notified by email. The last factor cannot be deleted if the policy requires one.',
    params,
    reply: Type.Object({ success: Type.Boolean() }),
    errors: [passkeyErrors.notFound, selfManagementErrors.lastFactor],
    event: passkeyEvents.deleted,
    async handle(work, { params }) {
      await deleteOwnPasskey(work, params.id)
      return { success: true }
    },
  }),
]
