import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const passkeyErrors = defineErrors({
  passkeyInvalid: [
    401,
    'passkey_invalid',
    'The passkey was not accepted',
    'The response is the same for every cause; the event auth.login.failed says which. A challenge can be answered ' +
      'once: start again with fresh options.',
  ],
  recentSignInRequired: [
    403,
    'recent_sign_in_required',
    'A recent sign-in is required',
    'require_recent_sign_in_seconds is set: send the access_token of a session of this user that is no older.',
    { within_seconds: Type.Integer({ description: 'The greatest age of the sign-in.' }) },
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
    'A credential belongs to one user: let the browser create another one.',
  ],
  limitReached: [
    409,
    'passkey_limit_reached',
    'The user has as many passkeys as allowed',
    'A user has at most 20: delete one that is no longer used.',
  ],
})
