import { sql } from 'kysely'
import { hashIdentity } from '../../src/platform/crypto/identity.ts'
import { newId } from '../../src/platform/ids.ts'
import type { UserTable } from '../../src/platform/lifecycle/belongings.ts'
import { type Directory, directoryOfOrganization } from '../../src/platform/tenancy/directory.ts'
import type { Tenant, TestApp } from '../harness.ts'
import type { Person } from '../people/people.ts'

/** Columns of a live row of each table, besides the directory's and the user's. */
function columnsOf({ platform }: TestApp['app'], { environmentId }: Tenant, email: string): Record<UserTable, object> {
  const [id, secret, text] = [newId(), Buffer.from(newId()), `secret-${newId()}`]
  const later = sql`clock_now() + interval '10 minutes'`
  const confirmed = { id, confirmed_at: sql`clock_now()` }
  const identity = hashIdentity(platform, email)
  return {
    backup_codes: { slot: 'ABCD', hash: text },
    exchange_codes: {
      id,
      code_hash: secret,
      auth_method: 'social',
      source: 'google',
      amr: ['fed'],
      aal: 'aal1',
      expires_at: later,
    },
    federated_sessions: { id, identity_id: id, logout_sealed: text, expires_at: later },
    identities: { id, method: 'social', source: 'google', issuer: 'https://accounts.google.com', subject: id },
    impersonations: { id, auth_account_id: id, actor: 'grace', reason: 'Ticket 4711', expires_at: later },
    known_devices: { device_hash: secret, is_first: true, first_seen_at: later, seen_at: later },
    links: { id, purpose: 'magic_link', identity, token_hash: secret, expires_at: later },
    mfa_challenges: { id, token_hash: secret, auth_method: 'otp', amr: ['otp'], enrollment: false, expires_at: later },
    mfa_grace: { ends_at: later },
    mfa_phones: { ...confirmed, phone: '+14155550123' },
    otps: { id, purpose: 'login', identity, phrase_hash: secret, max_attempts: 5, expires_at: later },
    passkeys: {
      id,
      credential_id: id,
      public_key: secret,
      counter: 9_007_199_254_740_000,
      transports: ['usb', 'nfc'],
      device_type: 'singleDevice',
      backed_up: false,
      aaguid: id,
      rp_id: 'localhost',
      user_handle: secret,
    },
    password_credentials: { hash: text, format: 'argon2id', must_change: true },
    password_history: { id, hash: text, format: 'argon2id' },
    role_assignments: { id, role_id: id, source: 'manual' },
    scim_group_members: { group_id: id },
    scim_user_emails: { n: 0, value: email, is_primary: true },
    scim_user_versions: { version: 1, changed_at: later },
    scim_users: { user_name: email, resource: '{}' },
    sso_roles: { connection_id: id, is_admin: false, role_ids: [id] },
    session_cut_offs: {
      id,
      epoch: 1,
      reason: 'logout',
      actor_type: 'system',
      ended_at: later,
      settles_at: later,
      looks_back_to: later,
    },
    sessions: {
      id,
      environment_id: environmentId,
      auth_account_id: id,
      auth_method: 'otp',
      amr: ['otp'],
      aal: 'aal1',
      refresh_hash: secret,
      idle_expires_at: later,
      expires_at: later,
    },
    totp_enrollments: { ...confirmed, secret_sealed: text, last_step: 7 },
    trusted_devices: { id, token_hash: secret, expires_at: later },
    webauthn_ceremonies: { id, kind: 'registration', challenge: secret, rp_id: 'localhost', expires_at: later },
  }
}

/** Where the rows of an organization's people are. */
export async function plantedIn({ app }: TestApp, tenant: Tenant, subOrgId: string): Promise<Directory> {
  return directoryOfOrganization(app.platform, { ...tenant, environmentSlug: 'production' }, subOrgId)
}

/** Gives somebody a row of a table. Returns its columns. */
export async function plant(
  app: TestApp,
  tenant: Tenant,
  { id, email, subOrgId }: Person,
  table: UserTable,
): Promise<object> {
  const { id: directory_id } = await plantedIn(app, tenant, subOrgId)
  const columns = { directory_id, user_id: id, ...columnsOf(app.app, tenant, email)[table] }
  const row = Object.entries(columns)
  await sql`insert into ${sql.table(table)} (${sql.join(row.map(([column]) => sql.ref(column)))})
    values (${sql.join(row.map(([, value]) => value))})`.execute(app.app.platform.db)
  return columns
}
