import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const passkeyErrors = defineErrors({
  passkeyInvalid: [
    401,
    'passkey_invalid',
    'The passkey was not accepted',
    'The response is the same for every cause; the event auth.login.failed says which. A challenge can be answered once. Start again with new options.',
  ],
  recentSignInRequired: [
    403,
    'recent_sign_in_required',
    'A recent sign-in is required',
    'require_recent_sign_in_seconds is set. Send the access_token of a session that this user opened within that time.',
    { within_seconds: Type.Integer({ description: 'Maximum age of the sign-in, in seconds.' }) },
  ],
  notFound: [
    404,
    'passkey_not_found',
    'Passkey not found',
    'There is no such passkey in this organization and environment.',
  ],
  exists: [
    409,
    'passkey_exists',
    'The passkey is already registered',
    'A passkey belongs to one user. Let the browser create another one.',
  ],
  limitReached: [
    409,
    'passkey_limit_reached',
    'Too many passkeys',
    'A user has at most 20 passkeys. Delete one that is no longer used.',
  ],
})
