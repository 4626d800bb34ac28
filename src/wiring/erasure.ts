import { chainEvents } from '../features/records/audit/chain.ts'
import { eraseDeliveries, eraseEvents, eraseMentions } from '../features/records/audit/erase.ts'
import type { ErasedTable, EraseRecords } from '../features/tenancy/erasure/records.ts'
import type { DB } from '../platform/db/schema.gen.ts'

type Column<T extends keyof DB> = keyof DB[T] & string

/** What the erasure of an organization does with a table's rows. */
type Fate<T extends keyof DB> =
  /**
   * Removes the rows of the organization's directories. Each batch takes some values of this column and deletes all
   * rows that have them.
   */
  | (DB[T] extends { directory_id: unknown } ? { removedBy: Column<T> } : never)
  /** A rule of a feature removes or blanks the rows. */
  | { handledBy: string }
  /** The rows stay, for this reason. */
  | { stays: string }

/** For tables with few rows in each directory. */
const ofDirectory = { removedBy: 'directory_id' } as const
const byId = { removedBy: 'id' } as const
const byUser = { removedBy: 'user_id' } as const

const POSITION = 'a position in the event stream'

/** Every table of the schema. A missing table is a compile error. */
export const ERASURE: { [T in keyof DB]: Fate<T> } = {
  accounts: { stays: 'the account runs the application' },
  api_keys: { handledBy: 'deleteKeysOfOrganization' },
  audit_blocks: { stays: 'ids and keyed digests of events, which prove that nothing else was changed' },
  audit_cursors: { stays: POSITION },
  audit_heads: { stays: 'the end of a chain of digests' },
  audit_settings: ofDirectory,
  auth_settings: ofDirectory,
  backup_codes: byUser,
  bounce_reports: { removedBy: 'email_norm' },
  bounced_addresses: byId,
  data_keys: { stays: 'keys of the account' },
  deployment: { stays: 'about the database' },
  dev_idp_keys: { stays: 'a key of the test identity provider' },
  device_cursors: { stays: POSITION },
  directories: { stays: 'ids, to which events and chains refer' },
  domains: byId,
  environments: { handledBy: 'beginErasure' },
  event_counts: { removedBy: 'key' },
  event_marks: { stays: POSITION },
  event_stream: { stays: POSITION },
  events: { handledBy: 'eraseEvents, eraseMentions' },
  exchange_codes: byId,
  federated_sessions: byId,
  federated_sign_ins: byId,
  former_team_roles: { handledBy: 'removeRoster' },
  idempotency_keys: { handledBy: 'deleteKeysOfOrganization, removeRoster; those of other keys live for 24 hours' },
  identities: byId,
  impersonations: byId,
  known_devices: byUser,
  links: byId,
  lockouts: { removedBy: 'identity' },
  logout_tokens: { removedBy: 'token_hash' },
  mail_outbox: byId,
  mail_settings: ofDirectory,
  member_roles: byId,
  members: { handledBy: 'removeRoster' },
  mfa_challenges: byId,
  mfa_grace: byUser,
  mfa_phones: byId,
  mfa_policies: ofDirectory,
  organizations: { handledBy: 'beginErasure' },
  otp_settings: ofDirectory,
  otps: byId,
  passkey_settings: ofDirectory,
  passkeys: byId,
  password_credentials: byUser,
  password_history: byId,
  rate_counters: { removedBy: 'identity' },
  role_assignments: byId,
  roles: byId,
  saml_assertions: { removedBy: 'assertion_hash' },
  scim_configs: ofDirectory,
  scim_group_groups: { removedBy: 'group_id' },
  scim_group_members: byUser,
  scim_group_versions: { removedBy: 'group_id' },
  scim_groups: byId,
  scim_logs: byId,
  scim_tokens: byId,
  scim_user_emails: byUser,
  scim_user_versions: byUser,
  scim_users: byUser,
  service_configs: ofDirectory,
  session_cut_offs: byId,
  sessions: byId,
  signing_keys: { stays: 'key pairs of an environment' },
  sms_outbox: byId,
  social_providers: ofDirectory,
  social_redirects: { stays: 'about the deployment' },
  sp_keys: { stays: 'key pairs of an environment' },
  sso_connections: byId,
  sso_roles: byUser,
  sso_traces: byId,
  totp_enrollments: byId,
  trusted_devices: byId,
  user_count_cursors: { stays: POSITION },
  users: byId,
  webauthn_ceremonies: byId,
  webhook_cursors: { stays: POSITION },
  webhook_deliveries: byId,
  webhook_queues: { removedBy: 'webhook_id' },
  webhooks: byId,
}

/**
 * The tables that are emptied for an organization's directories. Users come last, so that a repeated run still finds
 * them.
 */
export const erasureTables: readonly ErasedTable[] = Object.entries(ERASURE)
  .flatMap(([table, fate]) => ('removedBy' in fate ? { table, column: fate.removedBy } : []))
  .sort((a, b) => Number(a.table === 'users') - Number(b.table === 'users'))

export const erasureOfRecords: EraseRecords = {
  chain: chainEvents,
  all: eraseEvents,
  mentions: eraseMentions,
  deliveries: eraseDeliveries,
}
