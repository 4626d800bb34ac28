const ACCOUNT = 'Id of the user’s auth account: `userId` of the user, and `sub` of tokens.'
const USER = 'The user: `id` in `/v1/users`. Every route accepts this id.'
const ORGANIZATION = 'The organization of the user. Null: the account level of the environment.'
const CREATED = 'When the record was created (RFC 3339, in UTC).'
const UPDATED = 'When the record last changed (RFC 3339, in UTC).'
const EXPIRES = 'Time of expiry (RFC 3339, in UTC).'

/** The descriptions of fields that many schemas have. A schema's own description of a field takes precedence. */
export const RECURRING_FIELDS: ReadonlyMap<string, string> = new Map([
  ['id', 'A UUID that the service assigns. The id never changes.'],
  ['success', 'Always `true`. A refused request has an error status instead.'],
  ['has_more', 'Whether more rows follow this page.'],
  ['next_cursor', 'Cursor of the next page: send it as `cursor`. Null on the last page.'],
  ['createdAt', CREATED],
  ['created_at', CREATED],
  ['updatedAt', UPDATED],
  ['updated_at', UPDATED],
  ['expiresAt', EXPIRES],
  ['expires_at', EXPIRES],
  ['user_id', ACCOUNT],
  ['directoryUserId', USER],
  ['directory_user_id', USER],
  ['subOrgId', ORGANIZATION],
  ['sub_org_id', ORGANIZATION],
  ['environment', 'Slug of the environment, such as `production`.'],
  ['auth_method', 'How the user signed in. `otp`: a code by email or text message.'],
  ['amr', 'Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty.'],
  ['aal', '`aal1`: one factor. `aal2`: two factors, or a passkey.'],
])
