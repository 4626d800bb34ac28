-- Second factors. `users.mfa_enrolled` says whether a user has one, so that a sign-in and a list need no look here.
alter table users add column mfa_enrolled boolean not null default false;

-- One row per directory that has set its policy.
create table mfa_policies (
  directory_id uuid primary key references directories (id),
  require_mfa boolean not null,
  grace_period_days integer not null,
  allowed_methods text[] not null,
  enforce_for_roles text[] not null,
  -- When it first required a second factor. Stays when it ceases to, so that switching off and on renews no grace.
  required_since timestamptz,
  version integer not null default 1,
  updated_at timestamptz not null default clock_now()
);

-- Until when a user may sign in without the factor that the policy requires. Written once, never changed.
create table mfa_grace (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  ends_at timestamptz not null,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, user_id)
);

-- Authenticator apps, one per user: pending until the first code has confirmed it.
create table totp_enrollments (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  id uuid not null,
  secret_sealed text not null,
  attempts integer not null default 0,
  -- The time step of the last code that passed: no code passes twice (RFC 6238 §5.2).
  last_step bigint not null default 0,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz,
  confirmed_at timestamptz,
  primary key (directory_id, user_id),
  check ((confirmed_at is null) = (expires_at is not null))
);
create index totp_enrollments_by_expiry on totp_enrollments (expires_at) where expires_at is not null;

-- A row per unused code, found by its first character, so that a try costs one hash.
create table backup_codes (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  slot text not null,
  hash text not null,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, user_id, slot)
);

-- Phones that take codes as a second factor, one per user: pending until the first code has confirmed it.
create table mfa_phones (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  id uuid not null,
  phone text not null,
  code_hash bytea,
  attempts integer not null default 0,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz,
  confirmed_at timestamptz,
  primary key (directory_id, user_id)
);
create index mfa_phones_by_expiry on mfa_phones (expires_at) where expires_at is not null;

-- Sign-ins that wait for their second factor.
create table mfa_challenges (
  directory_id uuid not null references directories (id),
  id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  -- The first factor.
  auth_method text not null,
  amr text[] not null,
  -- The session that asked at its refresh, which ends when the challenge is passed.
  session_id uuid,
  -- Keyed hash of the end user's network, where the first factor told it.
  network_hash bytea,
  -- The user has no factor yet and enrolls one to pass.
  enrollment boolean not null,
  sms_code_hash bytea,
  attempts integer not null default 0,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (directory_id, id)
);
create unique index mfa_challenges_by_token on mfa_challenges (directory_id, token_hash);
create index mfa_challenges_by_user on mfa_challenges (directory_id, user_id);
create index mfa_challenges_by_expiry on mfa_challenges (expires_at);

-- Devices that need no second factor for a while.
create table trusted_devices (
  directory_id uuid not null references directories (id),
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  user_agent text,
  created_at timestamptz not null default clock_now(),
  last_used_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  primary key (directory_id, id)
);
create unique index trusted_devices_by_token on trusted_devices (directory_id, token_hash);
create index trusted_devices_by_user on trusted_devices (directory_id, user_id, created_at);
create index trusted_devices_by_expiry on trusted_devices (expires_at);

-- The trusted device that stood for the second factor of a session.
alter table sessions add column trusted_device_id uuid;

-- An address of the user was proved before the present one: a change of address is no way around a second factor.
alter table users add column proved_before boolean not null default false;
