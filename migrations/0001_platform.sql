-- The clock of every expiry, in the milliseconds that the API shows, so that a cursor names a row exactly. Inlined by
-- the planner; a test database replaces it to travel in time.
create function clock_now() returns timestamptz language sql stable parallel safe as 'select date_trunc(''milliseconds'', now())';

-- Reference tables: small, shared by every shard, found without a directory.

create table accounts (
  id uuid primary key,
  name text not null,
  -- The account whose production environment answers at the bare base URL (`iss`, JWKS).
  home boolean not null default false,
  created_at timestamptz not null default clock_now()
);
create unique index accounts_one_home on accounts (home) where home;

create table organizations (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  parent_id uuid references organizations (id),
  name text not null,
  slug text not null,
  description text,
  status text not null default 'active' check (status in ('active', 'suspended', 'archived')),
  external_id text,
  metadata jsonb not null default '{}',
  version integer not null default 1,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  archived_at timestamptz,
  unique (account_id, slug)
);
create index organizations_by_account on organizations (account_id, created_at, id);
create index organizations_by_external_id on organizations (account_id, external_id) where external_id is not null;

create table environments (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  -- A custom environment made for one organization takes only keys of that organization.
  organization_id uuid references organizations (id),
  name text not null,
  slug text not null,
  type text not null check (type in ('production', 'staging', 'custom')),
  signing_algorithm text not null default 'ES256' check (signing_algorithm in ('ES256', 'RS256', 'EdDSA')),
  created_at timestamptz not null default clock_now(),
  unique (account_id, slug)
);

-- directory = organization × environment: the isolation unit. `account` holds what an org-wide key makes
-- without an organization, and the defaults that directories inherit; `console` holds the account's own team.
create table directories (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  environment_id uuid not null references environments (id),
  organization_id uuid references organizations (id),
  kind text not null check (kind in ('organization', 'account', 'console')),
  created_at timestamptz not null default clock_now(),
  check ((kind = 'organization') = (organization_id is not null)),
  unique nulls not distinct (environment_id, kind, organization_id)
);
create index directories_by_organization on directories (organization_id) where organization_id is not null;

create table members (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  organization_id uuid references organizations (id),
  email text not null,
  email_norm text collate "C" not null,
  display_name text,
  role text not null check (role in ('owner', 'admin', 'member', 'developer')),
  status text not null default 'active' check (status in ('active', 'invited')),
  joined_at timestamptz,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  unique nulls not distinct (account_id, organization_id, email_norm)
);

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts (id),
  environment_id uuid not null references environments (id),
  organization_id uuid references organizations (id),
  name text not null,
  -- The first 12 characters, public: shown in lists, and what a presented key is looked up by.
  start text not null,
  key_hash bytea not null unique,
  scopes text[] not null,
  requests_per_second integer check (requests_per_second > 0),
  expires_at timestamptz,
  last_used_at timestamptz,
  last_used_ip text,
  created_by text not null,
  created_at timestamptz not null default clock_now(),
  revoked_at timestamptz
);
create index api_keys_by_start on api_keys (start);
create index api_keys_by_account on api_keys (account_id, created_at, id);

-- Random keys, wrapped by the master key. `hash` keys the digests of API keys, codes and tokens; `seal` keys
-- (one or more per account, none for the deployment's own) encrypt columns.
create table data_keys (
  id uuid primary key,
  account_id uuid references accounts (id),
  kind text not null check (kind in ('hash', 'seal')),
  wrapped bytea not null,
  master_key_id text not null,
  created_at timestamptz not null default clock_now()
);
create unique index data_keys_one_hash_key on data_keys (kind) where kind = 'hash';
create index data_keys_by_account on data_keys (account_id, created_at);

create table signing_keys (
  id text primary key,
  account_id uuid not null references accounts (id),
  environment_id uuid not null references environments (id),
  algorithm text not null,
  state text not null check (state in ('next', 'active', 'retired')),
  public_key_pem text not null,
  private_key_sealed text not null,
  created_at timestamptz not null default clock_now(),
  activated_at timestamptz,
  retired_at timestamptz
);
create unique index signing_keys_one_active on signing_keys (environment_id) where state = 'active';
create unique index signing_keys_one_next on signing_keys (environment_id) where state = 'next';
create index signing_keys_by_environment on signing_keys (environment_id);

create table idempotency_keys (
  api_key_id uuid not null references api_keys (id) on delete cascade,
  route text not null,
  key text not null,
  body_hash bytea not null,
  status integer,
  reply_sealed text,
  created_at timestamptz not null default clock_now(),
  primary key (api_key_id, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Directory-owned tables: every key and index leads with directory_id.

create table events (
  directory_id uuid not null references directories (id),
  id uuid not null,
  type text not null,
  actor_type text not null,
  actor_id text,
  target_type text,
  target_id text,
  request_id text,
  data jsonb not null,
  previous jsonb,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create index events_by_type on events (directory_id, type, id);

create function refuse_event_change() returns trigger language plpgsql as $$
begin
  raise exception 'events are append-only';
end $$;
create trigger events_append_only before update or delete on events
  for each row execute function refuse_event_change();

create table rate_counters (
  directory_id uuid not null references directories (id),
  bucket text not null,
  identity bytea not null,
  window_started_at timestamptz not null default clock_now(),
  count integer not null,
  primary key (directory_id, bucket, identity)
);
create index rate_counters_by_age on rate_counters (window_started_at);

-- Mail waiting to leave. Addressee, subject, text and the secrets in it are one sealed column; the row goes
-- once the mail has left or is of no use any more.
create table mail_outbox (
  directory_id uuid not null references directories (id),
  id uuid not null,
  kind text not null,
  message_sealed text not null,
  attempts integer not null default 0,
  last_error text,
  useful_until timestamptz not null,
  -- Set in development, where a mail without a mail server stays to be read at /dev/mail.
  kept boolean not null default false,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create index mail_outbox_by_expiry on mail_outbox (useful_until);
