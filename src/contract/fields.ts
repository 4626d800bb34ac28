const ACCOUNT = 'The user’s auth account: `userId` of the user, `sub` of tokens.'
const USER = 'The user: `id` in `/v1/users`. Every route accepts it.'
const ORGANIZATION = 'The organization it belongs to. Null: the account level of the environment.'
const CREATED = 'When it was created (RFC 3339, in UTC).'
const UPDATED = 'When it last changed (RFC 3339, in UTC).'
const EXPIRES = 'When it expires (RFC 3339, in UTC).'

/** What fields of many schemas mean. A schema that says something of its own about such a field keeps it. */
export const RECURRING_FIELDS: ReadonlyMap<string, string> = new Map([
  ['id', 'A UUID that the service assigns. It never changes.'],
  ['success', 'Always `true`: a refusal has a status of 400 or above and is a problem.'],
  ['has_more', 'Whether more rows follow this page.'],
  ['next_cursor', 'Send it as `cursor` to read the next page. Null on the last page.'],
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
  ['auth_method', 'How the user signed in. `otp` is a code by mail or text message.'],
  ['amr', 'Authentication methods (RFC 8176), such as `pwd`, `otp`, `sms`, `pop` (a passkey) or `mfa`. May be empty.'],
  ['aal', '`aal1`: one factor. `aal2`: two factors, or a passkey.'],
])
