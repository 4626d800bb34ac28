import type { Block, Token } from './sql-text.ts'
import { ownWords } from './sql-text.ts'

/** Where each table is kept in a database that is distributed. */
export const PLACES = {
  /** On every server. */
  reference: [
    'accounts',
    'api_keys',
    'audit_cursors',
    'audit_settings',
    'data_keys',
    'device_cursors',
    'directories',
    'domains',
    'environments',
    'former_team_roles',
    'members',
    'mfa_policies',
    'organizations',
    'passkey_settings',
    'scim_tokens',
    'signing_keys',
    'social_redirects',
    'sp_keys',
    'user_count_cursors',
    'webhook_cursors',
  ],
  /** With the directory, or for answers that are kept, the key, by which its rows lie together. */
  directory_id: [
    'audit_blocks',
    'audit_heads',
    'auth_settings',
    'backup_codes',
    'event_counts',
    'events',
    'exchange_codes',
    'federated_sessions',
    'impersonations',
    'federated_sign_ins',
    'identities',
    'known_devices',
    'links',
    'lockouts',
    'logout_tokens',
    'mail_outbox',
    'mail_settings',
    'member_roles',
    'mfa_challenges',
    'mfa_grace',
    'mfa_phones',
    'otp_settings',
    'otps',
    'password_credentials',
    'password_history',
    'passkeys',
    'rate_counters',
    'role_assignments',
    'roles',
    'saml_assertions',
    'scim_configs',
    'scim_group_groups',
    'scim_group_members',
    'scim_group_versions',
    'scim_groups',
    'scim_logs',
    'scim_user_emails',
    'scim_user_versions',
    'scim_users',
    'service_configs',
    'session_cut_offs',
    'sessions',
    'sms_outbox',
    'social_providers',
    'sso_connections',
    'sso_roles',
    'sso_traces',
    'totp_enrollments',
    'trusted_devices',
    'users',
    'webauthn_ceremonies',
    'webhook_deliveries',
    'webhook_queues',
    'webhooks',
  ],
  api_key_id: ['idempotency_keys'],
  /** On the one that is asked. */
  local: ['deployment', 'event_marks', 'event_stream', 'schema_migrations'],
}

export function isReference(table: string): boolean {
  return PLACES.reference.includes(table)
}

/** The column by which a table is distributed, or null. */
export function columnOf(table: string): 'directory_id' | 'api_key_id' | null {
  if (PLACES.directory_id.includes(table)) return 'directory_id'
  return PLACES.api_key_id.includes(table) ? 'api_key_id' : null
}

/** The tables that a block reads or writes itself, not in a query within it. */
export function tablesOf({ tokens }: Block): string[] {
  const words = ownWords(tokens)
  const named = words.filter((_, i) => isTablePlace(words, i))
  return named.map((name) => name.replace(/^public\./, ''))
}

/** The table that a block writes, and the name by which it does. */
export function targetOf({ verb, tokens }: Block): { table: string; alias: string } | null {
  if (verb === 'select' || verb === 'values') return null
  const [table, as, alias] = tokens.slice(verb === 'update' ? 1 : 2)
  if (typeof table !== 'string') return null
  return { table, alias: as === 'as' && typeof alias === 'string' ? alias : table }
}

const ENDS = ['where', 'order', 'group', 'limit', 'for', 'returning', 'union', 'set', 'on', 'using']

/** Whether a name stands after `from`, `join`, `into`, `update`, or a comma of these. */
function isTablePlace(words: string[], place: number): boolean {
  const before = words[place - 1]
  if (before === 'from' || before === 'join' || before === 'into') return true
  if (before === 'update') return !['for', 'key', 'do'].includes(words[place - 2] ?? '')
  if (before !== ',') return false
  const clause = words.slice(0, place).findLast((word) => word === 'from' || word === 'select' || ENDS.includes(word))
  return clause === 'from'
}

/** Whether the tokens say `column = $n`, by themselves and not in a query within. */
export function names(tokens: Token[], column: string): boolean {
  const words = ownWords(tokens)
  return words.some((word, i) => {
    const isColumn = word === column || word.endsWith(`.${column}`)
    return isColumn && words[i + 1] === '=' && (words[i + 2]?.startsWith('$') ?? false)
  })
}
