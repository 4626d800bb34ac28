import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const passkeyErrors = defineErrors({
  passkeyInvalid: [
    401,
    'passkey_invalid',
    'The passkey was not accepted',
    'The response is the same for every cause. The event auth.login.failed names the cause. A challenge can be answered only once, so start again with new options.',
  ],
  recentSignInRequired: [
    403,
    'recent_sign_in_required',
    'A recent sign-in is required',
    'The setting require_recent_sign_in_seconds is on. Send the access_token of a session that this user signed in to within that time.',
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
    'A passkey can belong to only one user. Let the browser create a new passkey.',
  ],
  limitReached: [
    409,
    'passkey_limit_reached',
    'Too many passkeys',
    'A user has at most 20 passkeys. Delete one that is no longer used.',
  ],
})
