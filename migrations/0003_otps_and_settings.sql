-- One-time passwords. `purpose` keeps the generator's codes and each sign-in flow apart: a code made for one
-- never passes in another.
create table otps (
  directory_id uuid not null references directories (id),
  id uuid not null,
  purpose text not null check (purpose in ('generator', 'login', 'signup')),
  -- Empty on a decoy, made for an address nobody has so that both take the same path.
  user_id uuid,
  -- The caller's session_id (generator), of which only the newest code counts.
  session_ref text,
  -- Keyed hash of the normalised address, of which only the newest code counts.
  identity bytea,
  phrase_hash bytea,
  digit_hash bytea,
  attempts integer not null default 0,
  max_attempts integer not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (directory_id, id)
-- Most codes are written twice, when made and when used: with room on its page the second costs half.
) with (fillfactor = 50);
create index otps_by_session on otps (directory_id, session_ref, created_at, id) where session_ref is not null;
create index otps_by_identity on otps (directory_id, identity, purpose, created_at, id) where identity is not null;
create index otps_by_age on otps (created_at);

-- Settings: one row per directory that differs from the defaults, holding only what was set there.
create table otp_settings (
  directory_id uuid primary key references directories (id),
  settings jsonb not null,
  updated_at timestamptz not null default clock_now()
);
create table auth_settings (
  directory_id uuid primary key references directories (id),
  settings jsonb not null,
  updated_at timestamptz not null default clock_now()
);

create table service_configs (
  directory_id uuid primary key references directories (id),
  enabled_app_ids text[] not null,
  app_groups jsonb not null default '[]',
  sidebar_groups_collapsible boolean not null default true,
  updated_at timestamptz not null default clock_now()
);
