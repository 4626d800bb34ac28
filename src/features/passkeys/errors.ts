import { defineErrors } from '../../platform/errors.ts'

export const passkeyErrors = defineErrors({
  passkeyInvalid: [
    401,
    'passkey_invalid',
    'The passkey was not accepted',
    'The same answer for every cause; the event auth.login.failed tells which. Each challenge takes one answer: start ' +
      'again with fresh options.',
  ],
  recentSignInRequired: [
    403,
    'recent_sign_in_required',
    'The user has to have signed in just now',
    'require_recent_sign_in_seconds is set: send the access_token of a session of this user that is no older.',
  ],
  verificationRequired: [
    403,
    'verification_required',
    'The mailbox has to be proved first',
    'Nobody has shown yet that the mailbox is theirs: let the person sign in with a mailed code or link.',
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
    'The passkey is registered already',
    'A credential belongs to one user: let the browser make another one.',
  ],
  limitReached: [
    409,
    'passkey_limit_reached',
    'The user has as many passkeys as allowed',
    'A user has at most 20: delete one that is no longer used.',
  ],
})
