-- Passwords, one per user. `hash` is a PHC string of argon2id over the peppered password; an imported hash keeps its
-- own format until its user signs in.
create table password_credentials (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  hash text not null,
  format text not null check
    (format in ('argon2id', 'imported-argon2', 'bcrypt', 'scrypt', 'firebase-scrypt', 'pbkdf2', 'ssha')),
  must_change boolean not null default false,
  -- Another with every password; an upgraded hash of the same one keeps it.
  revision uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  primary key (directory_id, user_id)
);

-- Passwords that were, for `password_history`.
create table password_history (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  id uuid not null,
  hash text not null,
  format text not null,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, user_id, id)
);

-- Secrets that are mailed as links. A link serves one purpose for one user, once.
create table links (
  directory_id uuid not null references directories (id),
  id uuid not null,
  purpose text not null check
    (purpose in ('magic_link', 'password_reset', 'password_change', 'invite', 'email_verification', 'signup', 'unlock')),
  -- Empty on a decoy, and on a sign-up link whose user is made when it is redeemed.
  user_id uuid,
  -- Keyed hash of the normalised address that it was mailed to.
  identity bytea not null,
  token_hash bytea not null,
  -- What redeeming it makes: the profile of a sign-up.
  details jsonb not null default '{}',
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- When it was withdrawn; or, past its expiry, when that was announced.
  closed_at timestamptz,
  primary key (directory_id, id)
);
create unique index links_by_token on links (directory_id, token_hash);
create index links_by_identity on links (directory_id, identity, purpose, created_at, id);
create index links_by_user on links (directory_id, user_id) where user_id is not null;
create index links_invites_by_age on links (directory_id, created_at, id) where purpose = 'invite';
create index links_open_invites on links (expires_at)
  where purpose = 'invite' and used_at is null and closed_at is null;
create index links_by_expiry on links (expires_at);

-- Wrong passwords in a row, counted before they are looked at: of an address (network '') and of an address from one
-- network. Addresses that nobody has are counted alike.
create table lockouts (
  directory_id uuid not null references directories (id),
  identity bytea not null,
  network text not null,
  failures integer not null,
  -- Since the last success, however long ago they were.
  consecutive integer not null default 1,
  -- Locks since the last success; each lasts twice as long as the one before.
  locks integer not null default 0,
  window_started_at timestamptz not null default clock_now(),
  locked_until timestamptz,
  primary key (directory_id, identity, network)
);
create index lockouts_by_age on lockouts (window_started_at);

alter table users
  add column invited_at timestamptz,
  -- Raised by whatever ends every way in: a sign-in that began before does not pass.
  add column epoch integer not null default 0,
  -- What lists show of a lock; the lock itself is in `lockouts`.
  add column locked_until timestamptz;

create table mail_settings (
  directory_id uuid primary key references directories (id),
  settings jsonb not null,
  updated_at timestamptz not null default clock_now()
);

-- Text messages waiting to leave, sealed as mails are.
create table sms_outbox (
  directory_id uuid not null references directories (id),
  id uuid not null,
  kind text not null,
  message_sealed text not null,
  attempts integer not null default 0,
  last_error text,
  useful_until timestamptz not null,
  -- Set in development, where a message without a provider stays to be read at /dev/mail.
  kept boolean not null default false,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create index sms_outbox_by_expiry on sms_outbox (useful_until);
