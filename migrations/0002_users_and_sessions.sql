-- Directory users. `id` is the directory user, `auth_account_id` (user_id on the wire) the account they sign in
-- with: one to one, made at the first sign-in, invitation or credential.
create table users (
  directory_id uuid not null references directories (id),
  id uuid not null,
  -- Of the directory; lets an org-wide key list an environment by one index.
  environment_id uuid not null,
  auth_account_id uuid,
  email text not null,
  email_norm text collate "C" not null,
  email_verified boolean not null default false,
  display_name text,
  first_name text,
  last_name text,
  phone text,
  job_title text,
  department text,
  external_id text,
  active boolean not null default true,
  role text not null default 'member' check (role in ('admin', 'member')),
  source text not null check (source in ('api', 'bulk', 'signup', 'invite', 'sso', 'scim', 'social')),
  scim_managed boolean not null default false,
  metadata jsonb not null default '{}',
  -- Set while a signup waits for the proof of its mailbox: nothing may be attached to the row, and it is gone
  -- after this moment without one.
  pending_until timestamptz,
  last_login_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  deleted_at timestamptz,
  primary key (directory_id, id)
);
create unique index users_by_email on users (directory_id, email_norm) where deleted_at is null;
create unique index users_by_auth_account on users (directory_id, auth_account_id) where auth_account_id is not null;
create index users_by_age on users (directory_id, created_at, id) where deleted_at is null;
create index users_by_external_id on users (directory_id, external_id) where external_id is not null;
create index users_by_name on users (directory_id, lower(display_name) collate "C") where deleted_at is null;
create index users_by_deletion on users (deleted_at) where deleted_at is not null;
create index users_by_pending on users (pending_until) where pending_until is not null;
-- An org-wide key without an organization reads its whole environment; as shard-local indexes these stay cheap.
create index users_of_environment_by_age on users (environment_id, created_at, id) where deleted_at is null;
create index users_of_environment_by_email on users (environment_id, email_norm) where deleted_at is null;
create index users_of_environment_by_id on users (environment_id, id);
create index users_of_environment_by_auth_account on users (environment_id, auth_account_id)
  where auth_account_id is not null;
create index users_of_environment_by_name on users (environment_id, lower(display_name) collate "C")
  where deleted_at is null;
create index users_of_environment_inactive on users (environment_id, created_at, id)
  where deleted_at is null and not active;
create index users_of_environment_admins on users (environment_id, created_at, id)
  where deleted_at is null and role = 'admin';
create index users_of_environment_by_external_id on users (environment_id, external_id) where external_id is not null;

create table sessions (
  directory_id uuid not null references directories (id),
  id uuid not null,
  environment_id uuid not null,
  user_id uuid not null,
  auth_account_id uuid not null,
  auth_method text not null,
  amr text[] not null,
  aal text not null check (aal in ('aal1', 'aal2')),
  ip_address text,
  user_agent text,
  -- Counts rotations: a refresh token names its generation, so any older one is known for a replay.
  generation integer not null default 0,
  refresh_hash bytea not null,
  previous_refresh_hash bytea,
  successor_sealed text,
  rotated_at timestamptz,
  authenticated_at timestamptz not null default clock_now(),
  created_at timestamptz not null default clock_now(),
  last_active_at timestamptz not null default clock_now(),
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  primary key (directory_id, id)
);
create index sessions_by_user on sessions (directory_id, user_id, created_at) where revoked_at is null;
create index sessions_by_age on sessions (directory_id, created_at, id) where revoked_at is null;
create index sessions_by_revocation on sessions (directory_id, revoked_at, id) where revoked_at is not null;
create index sessions_of_environment_by_age on sessions (environment_id, created_at, id) where revoked_at is null;
create index sessions_of_environment_by_revocation on sessions (environment_id, revoked_at, id)
  where revoked_at is not null;
create index sessions_by_expiry on sessions (expires_at);
