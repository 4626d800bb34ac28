import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { described } from '../../../platform/schema.ts'
import { AuthenticationFields, EndReason } from './schema.ts'

const Id = Type.String({ format: 'uuid' })

export const sessionEvents = defineEvents({
  created: [
    'session.created',
    'A session was created, because the user passed every required factor.',
    Type.Object({
      id: described(Id, 'Id of the session: `sid` of its access tokens.'),
      user_id: Id,
      directory_user_id: Id,
      ...AuthenticationFields,
    }),
  ],
  revoked: [
    'session.revoked',
    'A session was ended before it expired. `reason` says why.',
    Type.Object({ id: Id, user_id: Id, directory_user_id: Id, reason: EndReason }),
  ],
  refreshReuseDetected: [
    'session.refresh_reuse_detected',
    'A refresh token was used a second time, so it or its successor may be stolen. The session was ended.',
    Type.Object({ id: Id, directory_user_id: Id }),
  ],
})
