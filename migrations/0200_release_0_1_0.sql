-- The schema of release 0.1.0. Later releases change it with new files. A released file never changes.

-- The clock for every expiry. It has the millisecond precision that the API shows, so that a cursor identifies a row
-- exactly. The planner inlines it, and test databases replace it to change the time.
create function clock_now() returns timestamptz language sql stable parallel safe as $$select date_trunc('milliseconds', now())$$;

-- Call this for every new table with a `directory_id`.
create function expect_many_rows(of_table regclass) returns void language plpgsql as $$
declare
  plain name := (select relname from pg_class where oid = of_table);
  has_statistics boolean := (select reltuples > 0 from pg_class where oid = of_table);
begin
  -- Citus does not accept this option, because its workers make the plans.
  if exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  -- A twentieth of the table. The estimate is large enough that the planner wants an index with more columns, and
  -- small enough that it searches by directory instead of reading all rows.
  execute format('alter table %s alter column directory_id set (n_distinct = 20)', of_table);
  -- The option takes effect at the next analysis, and a new table is first analyzed after dozens of rows. In
  -- PostgreSQL 18 the statistics can be set at once.
  if has_statistics then
    execute format('analyze %s', of_table);
  elsif to_regproc('pg_catalog.pg_restore_attribute_stats') is not null then
    perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', plain::text,
      'attname', 'directory_id', 'inherited', false, 'version', current_setting('server_version_num')::int,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 20::real);
  end if;
end $$;

-- The state of the event stream: events can be read in the order of their commits.
create table event_stream (
  singleton boolean default true not null,
  -- Rises when the database moves to another cluster or back in time, because transaction ids start again there.
  epoch bigint not null,
  cluster text,
  -- Earlier epochs, whose cursors remain valid.
  earlier bigint[] default '{}' not null,
  -- For epochs that ended because the database lost transactions: the transaction of their last event, by epoch.
  -- Consumers that have read beyond it have seen lost events.
  ends jsonb default '{}' not null,
  constraint event_stream_singleton_check check (singleton),
  primary key (singleton)
);

-- Reference tables: small, shared by every shard, and found without a directory.
create table accounts (
  id uuid not null,
  name text not null,
  -- The account whose production environment issues tokens at the bare base URL (`iss`, JWKS).
  home boolean default false not null,
  created_at timestamptz default clock_now() not null,
  primary key (id)
);
create unique index accounts_one_home on accounts (home) where home;

create table environments (
  id uuid not null,
  account_id uuid not null,
  -- Set for a custom environment that was made for one organization. It accepts only keys of that organization.
  organization_id uuid,
  name text not null,
  slug text not null,
  type text not null,
  signing_algorithm text default 'ES256' not null,
  created_at timestamptz default clock_now() not null,
  -- The last part of the issuer's URL. It never changes and is unique in the account. If it is null, it is the slug,
  -- as for all earlier environments; later custom environments use their id.
  issuer_name text,
  -- The version in the entity tag, so that concurrent changes of an environment are detected.
  version integer default 1 not null,
  locale text,
  constraint environments_signing_algorithm_check check (signing_algorithm in ('ES256', 'RS256', 'EdDSA')),
  constraint environments_type_check check (type in ('production', 'staging', 'custom')),
  primary key (id),
  constraint environments_account_id_organization_id_slug_key unique nulls not distinct (account_id, organization_id, slug),
  constraint environments_account_id_fkey foreign key (account_id) references accounts(id)
);
create unique index environments_by_issuer on environments (account_id, coalesce(issuer_name, slug));

create table organizations (
  id uuid not null,
  account_id uuid not null,
  parent_id uuid,
  name text not null,
  slug text not null,
  description text,
  status text default 'active' not null,
  external_id text,
  metadata jsonb default '{}' not null,
  version integer default 1 not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  archived_at timestamptz,
  session_epoch integer default 0 not null,
  locale text,
  -- The environment that an organization belongs to. Null for production, whose organizations every environment uses.
  -- An organization of another environment exists only there. Also null for organizations that an earlier release
  -- creates meanwhile.
  home_environment_id uuid,
  -- When people, credentials and personal data are erased. Null: no erasure was requested.
  erase_at timestamptz,
  -- A keyed hash of the schedule. Without it the service erases nothing, so write access to the database alone is not
  -- enough.
  erase_seal bytea,
  -- When the erasure began. From then on, the organization does not exist for any caller and cannot be restored.
  erased_at timestamptz,
  -- 0: not begun. 1: begun. 2: events elsewhere that name its people are erased. 3: everything is erased. 4: checked
  -- again after a day.
  erasure_step integer default 0 not null,
  constraint organizations_status_check check (status in ('active', 'suspended', 'archived')),
  primary key (id),
  constraint organizations_account_id_fkey foreign key (account_id) references accounts(id),
  constraint organizations_home_environment_id_fkey foreign key (home_environment_id) references environments(id),
  constraint organizations_parent_id_fkey foreign key (parent_id) references organizations(id)
);
create index organizations_by_account on organizations (account_id, created_at, id);
create index organizations_by_external_id on organizations (account_id, external_id) where external_id is not null;
create index organizations_to_erase on organizations (erase_at) where (erase_at is not null) and (erasure_step < 4);
alter table organizations add constraint organizations_account_id_slug_key unique nulls not distinct (account_id, parent_id, slug);

-- A directory is an organization in an environment, the unit of isolation. `account` holds what an org-wide key
-- creates without an organization, and the defaults that directories inherit. `console` holds the account's own team.
create table directories (
  id uuid not null,
  account_id uuid not null,
  environment_id uuid not null,
  organization_id uuid,
  kind text not null,
  created_at timestamptz default clock_now() not null,
  -- The number of users, stored only for directories with too many users to count at each request. Null for all
  -- others.
  user_count integer,
  constraint directories_check check ((kind = 'organization') = (organization_id is not null)),
  constraint directories_kind_check check (kind in ('organization', 'account', 'console')),
  primary key (id),
  constraint directories_environment_id_kind_organization_id_key unique nulls not distinct (environment_id, kind, organization_id),
  constraint directories_account_id_fkey foreign key (account_id) references accounts(id),
  constraint directories_environment_id_fkey foreign key (environment_id) references environments(id),
  constraint directories_organization_id_fkey foreign key (organization_id) references organizations(id)
);
create index directories_by_organization on directories (organization_id) where organization_id is not null;

create table members (
  id uuid not null,
  account_id uuid not null,
  organization_id uuid,
  email text not null,
  email_norm text not null collate pg_catalog."C",
  display_name text,
  role text not null,
  status text default 'active' not null,
  joined_at timestamptz,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  -- On an organization's roster: the same person's membership in the account. Null for members of the account, and for
  -- members of that organization alone.
  account_member_id uuid,
  -- When the invitation expires.
  invite_expires_at timestamptz,
  -- The link that accepts an invitation to the team. Each invitation has its own, so that accepting one organization's
  -- invitation does not accept another's. Null for members who have joined, and for invitations of earlier releases.
  invite_link_id uuid,
  -- Since when a team member has the role. The grace period for enrolling a second factor starts then. For roles of an
  -- earlier release it starts with this migration.
  role_since timestamptz default clock_now() not null,
  invited_by_type text,
  invited_by_id text,
  constraint members_role_check check (role in ('owner', 'admin', 'member', 'developer')),
  constraint members_status_check check (status in ('active', 'invited')),
  primary key (id),
  constraint members_account_id_organization_id_email_norm_key unique nulls not distinct (account_id, organization_id, email_norm),
  constraint members_account_id_fkey foreign key (account_id) references accounts(id),
  constraint members_account_member_id_fkey foreign key (account_member_id) references members(id),
  constraint members_organization_id_fkey foreign key (organization_id) references organizations(id)
);
create index members_by_account_member on members (account_member_id) where account_member_id is not null;

create table api_keys (
  id uuid not null,
  account_id uuid not null,
  environment_id uuid not null,
  organization_id uuid,
  name text not null,
  -- The first 12 characters, which are public: lists show them, and a key in a request is looked up by them.
  start text not null,
  key_hash bytea not null,
  scopes text[] not null,
  requests_per_second integer,
  expires_at timestamptz,
  last_used_at timestamptz,
  last_used_ip text,
  created_by text not null,
  created_at timestamptz default clock_now() not null,
  revoked_at timestamptz,
  -- Addresses and CIDRs from which the key may be used. Null: from everywhere.
  allowed_ips text[],
  constraint api_keys_requests_per_second_check check (requests_per_second > 0),
  primary key (id),
  constraint api_keys_key_hash_key unique (key_hash),
  constraint api_keys_account_id_fkey foreign key (account_id) references accounts(id),
  constraint api_keys_environment_id_fkey foreign key (environment_id) references environments(id),
  constraint api_keys_organization_id_fkey foreign key (organization_id) references organizations(id)
);
create index api_keys_by_account on api_keys (account_id, created_at, id);

-- Random keys, wrapped by the master key. Keys of kind `hash` are for digests of API keys, codes and tokens. Keys of
-- kind `seal` encrypt columns. Each account has one or more of them, and keys without an account are for the
-- deployment's own columns.
create table data_keys (
  id uuid not null,
  account_id uuid,
  kind text not null,
  wrapped bytea not null,
  master_key_id text not null,
  created_at timestamptz default clock_now() not null,
  constraint data_keys_kind_check check (kind in ('hash', 'seal')),
  primary key (id),
  constraint data_keys_account_id_fkey foreign key (account_id) references accounts(id)
);
create unique index data_keys_one_hash_key on data_keys (kind) where kind = 'hash';
create index data_keys_by_account on data_keys (account_id, created_at);

create table signing_keys (
  id text not null,
  account_id uuid not null,
  environment_id uuid not null,
  algorithm text not null,
  state text not null,
  public_key_pem text not null,
  private_key_sealed text not null,
  created_at timestamptz default clock_now() not null,
  activated_at timestamptz,
  retired_at timestamptz,
  constraint signing_keys_state_check check (state in ('next', 'active', 'retired')),
  primary key (id),
  constraint signing_keys_account_id_fkey foreign key (account_id) references accounts(id),
  constraint signing_keys_environment_id_fkey foreign key (environment_id) references environments(id)
);
create unique index signing_keys_one_active on signing_keys (environment_id) where state = 'active';
create unique index signing_keys_one_next on signing_keys (environment_id) where state = 'next';
create index signing_keys_by_environment on signing_keys (environment_id);

create table idempotency_keys (
  api_key_id uuid not null,
  route text not null,
  key text not null,
  body_hash bytea not null,
  status integer,
  reply_sealed text,
  created_at timestamptz default clock_now() not null,
  -- The kind of caller, so that an API key and a membership with the same id never share a response. Null: a row of an
  -- earlier release, which compares only the id.
  caller_kind text,
  primary key (api_key_id, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Read with each event, so that a new epoch changes one row instead of a column default.
create function event_epoch() returns bigint language sql stable as $$select epoch from event_stream$$;

-- Directory-owned tables: every primary key and index starts with directory_id.
create table events (
  directory_id uuid not null,
  id uuid not null,
  type text not null,
  actor_type text not null,
  actor_id text,
  target_type text,
  target_id text,
  request_id text,
  data jsonb not null,
  previous jsonb,
  created_at timestamptz default clock_now() not null,
  account_id uuid not null,
  environment_id uuid not null,
  ip_address text,
  user_agent text,
  epoch bigint default event_epoch() not null,
  -- Readers stop before the oldest transaction in progress, so they skip no event that commits late.
  tx_id xid8 default pg_current_xact_id() not null,
  -- The person that the caller's backend acts for, as it says: {id, name}. Null: not stated, or an event of an earlier
  -- release.
  on_behalf_of jsonb,
  -- The caller in a sign-in, whose events have the user as actor: {type, id}. Null: the actor was the caller, or there
  -- was no caller.
  via jsonb,
  primary key (directory_id, id)
);
create index events_stream on events (environment_id, epoch, tx_id, id) include (directory_id, type);
create index events_stream_of_directory on events (directory_id, epoch, tx_id, id) include (type);

create table rate_counters (
  directory_id uuid not null,
  bucket text not null,
  identity bytea not null,
  window_started_at timestamptz default clock_now() not null,
  count integer not null,
  primary key (directory_id, bucket, identity),
  constraint rate_counters_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index rate_counters_by_age on rate_counters (window_started_at);

-- Mail that waits to be sent. Recipient, subject, text and the secrets in it are one sealed column. The row is deleted
-- when the mail was sent or is no longer useful.
create table mail_outbox (
  directory_id uuid not null,
  id uuid not null,
  kind text not null,
  message_sealed text not null,
  attempts integer default 0 not null,
  last_error text,
  useful_until timestamptz not null,
  -- Set in development without a mail server, where mails stay to be read at /dev/mail.
  kept boolean default false not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, id),
  constraint mail_outbox_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index mail_outbox_by_expiry on mail_outbox (useful_until);

-- Directory users. `id` is the directory user. `auth_account_id` (`user_id` in the API) is the auth account that the
-- user signs in with. There is one for each user, created at the first sign-in, invitation or credential.
create table users (
  directory_id uuid not null,
  id uuid not null,
  -- The directory's environment, so that an org-wide key can list an environment with one index.
  environment_id uuid not null,
  auth_account_id uuid,
  email text not null,
  email_norm text not null collate pg_catalog."C",
  email_verified boolean default false not null,
  display_name text,
  first_name text,
  last_name text,
  phone text,
  job_title text,
  department text,
  external_id text,
  active boolean default true not null,
  role text default 'member' not null,
  source text not null,
  scim_managed boolean default false not null,
  metadata jsonb default '{}' not null,
  -- Set while a sign-up waits for the proof of its mailbox. Until then, nothing may be attached to the row. Without a
  -- proof, it is deleted after this time.
  pending_until timestamptz,
  last_login_at timestamptz,
  version integer default 1 not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  deleted_at timestamptz,
  invited_at timestamptz,
  -- Raised when all access of the user ends. A sign-in that began before cannot complete.
  epoch integer default 0 not null,
  -- The lock as lists show it. The lock itself is in `lockouts`.
  locked_until timestamptz,
  -- Whether the user has a second factor, so that a sign-in and a list need not read the tables of factors.
  mfa_enrolled boolean default false not null,
  -- Whether an address of the user was proved before the current one. A change of address must not avoid the second
  -- factor.
  proved_before boolean default false not null,
  passkey_count integer default 0 not null,
  -- Raised when every session of the user ends.
  session_epoch integer default 0 not null,
  -- An upper bound on the user's live sessions. If it is below the limit, a sign-in need not count them. Unknown for
  -- users of earlier releases, who get a value above any limit.
  sessions_at_most integer default 0 not null,
  -- How often the user has signed in within the current minute. The statement that writes the session updates it under
  -- the lock of this row, which it updates anyway.
  sign_ins integer default 0 not null,
  sign_ins_since timestamptz,
  own_role text default 'member' not null,
  sso_role text,
  scim_role text,
  -- The roles assigned to the user, from every source. This is a summary of role_assignments, so that a sign-in reads
  -- only the user.
  role_ids uuid[] default '{}' not null,
  -- In a directory only one user has an external id. In earlier releases several users could have the same one. The
  -- oldest user keeps it for good. The others still show it until it is changed, but do not reserve it.
  external_id_repeated boolean default false not null,
  -- BCP 47 tags in canonical form that determine the language of mails, text messages and pages: the user's, or else
  -- the organization's, or else the environment's.
  locale text,
  -- When the user got the current role. The grace period for a required second factor starts then. Null: when the user
  -- was created, or before this column existed.
  role_since timestamptz,
  access_locked_at timestamptz,
  access_locked_until timestamptz,
  access_lock_reason text,
  constraint users_own_role_check check (own_role in ('admin', 'member')),
  constraint users_role_check check (role in ('admin', 'member')),
  constraint users_scim_role_check check (scim_role in ('admin', 'member')),
  constraint users_source_check check (source in ('api', 'bulk', 'signup', 'invite', 'sso', 'scim', 'social')),
  constraint users_sso_role_check check (sso_role in ('admin', 'member')),
  primary key (directory_id, id),
  constraint users_directory_id_fkey foreign key (directory_id) references directories(id)
) with (fillfactor='85');
create unique index users_by_email on users (directory_id, email_norm) where deleted_at is null;
create unique index users_by_auth_account on users (directory_id, auth_account_id) where auth_account_id is not null;
create index users_by_age on users (directory_id, created_at, id) where deleted_at is null;
create index users_by_external_id on users (directory_id, external_id) where external_id is not null;
create index users_by_name on users (directory_id, lower(display_name) collate "C") where deleted_at is null;
create index users_by_deletion on users (deleted_at) where deleted_at is not null;
create index users_by_pending on users (pending_until) where pending_until is not null;
-- An org-wide key without an organization reads its whole environment. On shards, this index stays small.
create index users_of_environment_by_age on users (environment_id, created_at, id) where deleted_at is null;
create index users_of_environment_by_email on users (environment_id, email_norm) where deleted_at is null;
create index users_of_environment_by_id on users (environment_id, id);
create index users_of_environment_by_auth_account on users (environment_id, auth_account_id) where auth_account_id is not null;
create index users_of_environment_by_name on users (environment_id, lower(display_name) collate "C") where deleted_at is null;
create index users_of_environment_inactive on users (environment_id, created_at, id) where (deleted_at is null) and (not active);
create index users_of_environment_admins on users (environment_id, created_at, id)
  where (deleted_at is null) and (role = 'admin');
create index users_of_environment_by_external_id on users (environment_id, external_id) where external_id is not null;
-- For filters of provisioning clients, which find only provisioned users.
create index users_provisioned_by_name on users (directory_id, lower(display_name) collate "C")
  where scim_managed and (deleted_at is null);
create index users_provisioned_by_first_name on users (directory_id, lower(first_name) collate "C")
  where scim_managed and (deleted_at is null);
create index users_provisioned_by_last_name on users (directory_id, lower(last_name) collate "C")
  where scim_managed and (deleted_at is null);
create index users_provisioned_by_title on users (directory_id, lower(job_title) collate "C")
  where scim_managed and (deleted_at is null);
create index users_provisioned_by_department on users (directory_id, lower(department) collate "C")
  where scim_managed and (deleted_at is null);
create index users_provisioned_by_change on users (directory_id, updated_at) where scim_managed and (deleted_at is null);
create index users_provisioned_by_age on users (directory_id, created_at) where scim_managed and (deleted_at is null);
create index users_provisioned_by_state on users (directory_id, active, id) where scim_managed and (deleted_at is null);
create unique index users_by_own_external_id on users (directory_id, external_id)
  where (external_id is not null) and (deleted_at is null) and (not external_id_repeated);
-- Searches also match the beginning of the first name followed by the last name, of the last name, and of the digits
-- of the phone number.
create index users_by_full_name on users (directory_id, lower(coalesce(((first_name || ' ') || last_name), first_name)) collate "C")
  where deleted_at is null;
create index users_by_last_name on users (directory_id, lower(last_name) collate "C") where deleted_at is null;
create index users_by_phone on users (directory_id, regexp_replace(phone, '\D', '', 'g') collate "C") where deleted_at is null;
create index users_of_environment_by_full_name on users (environment_id, lower(coalesce(((first_name || ' ') || last_name), first_name)) collate "C")
  where deleted_at is null;
create index users_of_environment_by_last_name on users (environment_id, lower(last_name) collate "C") where deleted_at is null;
create index users_of_environment_by_phone on users (environment_id, regexp_replace(phone, '\D', '', 'g') collate "C")
  where deleted_at is null;
-- Deleted users, who can be restored for thirty days.
create index users_deleted_by_age on users (directory_id, created_at, id) where deleted_at is not null;
create index users_of_environment_deleted_by_age on users (environment_id, created_at, id) where deleted_at is not null;
create index users_by_change on users (directory_id, updated_at, id) where deleted_at is null;
create index users_of_environment_by_change on users (environment_id, updated_at, id) where deleted_at is null;
create index users_inactive on users (directory_id, created_at, id) where (deleted_at is null) and (not active);
create index users_admins on users (directory_id, created_at, id) where (deleted_at is null) and (role = 'admin');
create index users_pending on users (directory_id, pending_until) where (deleted_at is null) and (pending_until is not null);
create index users_deleted_by_change on users (directory_id, updated_at, id) where deleted_at is not null;
create index users_of_environment_deleted_by_change on users (environment_id, updated_at, id) where deleted_at is not null;

create table sessions (
  directory_id uuid not null,
  id uuid not null,
  environment_id uuid not null,
  user_id uuid not null,
  auth_account_id uuid not null,
  auth_method text not null,
  amr text[] not null,
  aal text not null,
  ip_address text,
  user_agent text,
  -- Counts rotations. A refresh token contains its generation, so an older token is recognized as a replay.
  generation integer default 0 not null,
  refresh_hash bytea not null,
  previous_refresh_hash bytea,
  successor_sealed text,
  rotated_at timestamptz,
  authenticated_at timestamptz default clock_now() not null,
  created_at timestamptz default clock_now() not null,
  last_active_at timestamptz default clock_now() not null,
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  -- The trusted device that replaced the second factor of the session.
  trusted_device_id uuid,
  user_epoch integer default 0 not null,
  organization_epoch integer default 0 not null,
  -- The SAML or OIDC connection with which a session began. Null: another sign-in method, or a session of an earlier
  -- release. The id stays when the connection is deleted, so there is no foreign key.
  connection_id uuid,
  constraint sessions_aal_check check (aal in ('aal1', 'aal2')),
  primary key (directory_id, id)
) with (fillfactor='85');
create index sessions_by_user on sessions (directory_id, user_id, created_at) where revoked_at is null;
create index sessions_by_age on sessions (directory_id, created_at, id) where revoked_at is null;
create index sessions_of_environment_by_age on sessions (environment_id, created_at, id) where revoked_at is null;
create index sessions_by_expiry on sessions (expires_at);

-- One-time passwords. `purpose` separates the generator's codes and the codes of each sign-in flow: a code made for
-- one purpose is never accepted for another.
create table otps (
  directory_id uuid not null,
  id uuid not null,
  purpose text not null,
  -- Null for a decoy, which is made for an unknown address, so that known and unknown addresses are handled in the
  -- same way.
  user_id uuid,
  -- The session_id that the generator's caller sent. Only its newest code is valid.
  session_ref text,
  -- Keyed hash of the normalised address. Only its newest code is valid.
  identity bytea,
  phrase_hash bytea,
  digit_hash bytea,
  attempts integer default 0 not null,
  max_attempts integer not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- Set for a sign-up code of an address without a user. Redeeming it creates the user.
  signs_up boolean default false not null,
  -- The phone that a sign-in code was sent to. It must still belong to the user when the code is used. A decoy has a
  -- made-up id. Null: the code was mailed.
  phone_id uuid,
  -- Set for a code that was not sent. It voids no older code, so the newest sent code stays valid. In the indexes this
  -- column precedes the time, so the newest sent code is found at once, however many codes were withheld since.
  withheld boolean default false not null,
  -- The language that the person chose at the sign-up.
  locale text,
  primary key (directory_id, id)
) with (fillfactor='70');
create index otps_by_age on otps (created_at);
-- Codes with failed attempts, so that failures are counted however many codes were made since.
create index otps_failed_by_session on otps (directory_id, session_ref, created_at)
  where (attempts > 0) and (session_ref is not null);
create index otps_failed_by_identity on otps (directory_id, identity, purpose, created_at)
  where (attempts > 0) and (identity is not null);
create index otps_of_session on otps (directory_id, session_ref, withheld, created_at, id) where session_ref is not null;
create index otps_of_identity on otps (directory_id, identity, purpose, withheld, created_at, id) where identity is not null;

-- Settings: one row for each directory that differs from the defaults. It contains only the values set there.
create table otp_settings (
  directory_id uuid not null,
  settings jsonb not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint otp_settings_directory_id_fkey foreign key (directory_id) references directories(id)
);

create table auth_settings (
  directory_id uuid not null,
  settings jsonb not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint auth_settings_directory_id_fkey foreign key (directory_id) references directories(id)
);

create table service_configs (
  directory_id uuid not null,
  enabled_app_ids text[] not null,
  app_groups jsonb default '[]' not null,
  sidebar_groups_collapsible boolean default true not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint service_configs_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Passwords, one for each user. `hash` is a PHC string of argon2id over the peppered password. An imported hash keeps
-- its own format until its user signs in.
create table password_credentials (
  directory_id uuid not null,
  user_id uuid not null,
  hash text not null,
  format text not null,
  must_change boolean default false not null,
  -- Changes with every new password, but not when the hash of the same password is upgraded.
  revision uuid default gen_random_uuid() not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  -- Set if an administrator or a backend set the password: a digest of the password's revision, its directory and the
  -- user's address. The first proof of that mailbox keeps the password. The mark does not match another password,
  -- address or directory.
  manager_mark bytea,
  constraint password_credentials_format_check check (format in ('argon2id', 'imported-argon2', 'bcrypt', 'scrypt', 'firebase-scrypt', 'pbkdf2', 'ssha')),
  primary key (directory_id, user_id),
  constraint password_credentials_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Earlier passwords, for `password_history`.
create table password_history (
  directory_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  hash text not null,
  format text not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, user_id, id),
  constraint password_history_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Secrets that are mailed as links. A link works once, for one purpose and one user.
create table links (
  directory_id uuid not null,
  id uuid not null,
  purpose text not null,
  -- Null for a decoy, and for a sign-up link whose user is created when it is redeemed.
  user_id uuid,
  -- Keyed hash of the normalised address to which the link was mailed.
  identity bytea not null,
  token_hash bytea not null,
  -- Data that is needed to redeem the link, such as the profile of a sign-up.
  details jsonb default '{}' not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- When the link was withdrawn or, if that is after its expiry, when its expiry was announced.
  closed_at timestamptz,
  -- The columns that change when a link is used or closed are in no index, so that using a link changes no index. The
  -- index of open invitations uses this column, which changes for no other link. A trigger sets it, because adding a
  -- generated column would rewrite every row under a lock.
  open_invite_until timestamptz,
  -- Whether the token ends in a tag that only this service can make. Tokens of an earlier release have none, including
  -- those of processes that still run. They work until they expire. When none is left, tokens without a tag are not
  -- looked up. Adding a column with a constant default rewrites no row.
  tagged boolean default false not null,
  -- The environment of an invitation, so that an index can list the invitations of a whole environment. The trigger
  -- also sets it for rows of an earlier release.
  environment_id uuid,
  primary key (directory_id, id)
) with (fillfactor='75');
create unique index links_by_token on links (directory_id, token_hash);
create index links_by_identity on links (directory_id, identity, purpose, created_at, id);
create index links_by_user on links (directory_id, user_id) where user_id is not null;
create index links_invites_by_age on links (directory_id, created_at, id) where purpose = 'invite';
create index links_by_expiry on links (expires_at);
create index links_open_invites on links (open_invite_until) where open_invite_until is not null;
create index links_untagged on links (expires_at) where not tagged;
create index links_invites_of_environment on links (environment_id, created_at, id) where purpose = 'invite';

-- Consecutive wrong passwords, counted before they are checked: for an address (network '') and for an address from
-- one network. Unknown addresses are counted in the same way.
create table lockouts (
  directory_id uuid not null,
  identity bytea not null,
  network text not null,
  failures integer not null,
  -- Failures since the last success, however long ago.
  consecutive integer default 1 not null,
  -- Locks since the last success. Each lasts twice as long as the previous one.
  locks integer default 0 not null,
  window_started_at timestamptz default clock_now() not null,
  locked_until timestamptz,
  primary key (directory_id, identity, network),
  constraint lockouts_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index lockouts_by_age on lockouts (window_started_at);

create table mail_settings (
  directory_id uuid not null,
  settings jsonb not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint mail_settings_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Text messages that wait to be sent, sealed as mails are.
create table sms_outbox (
  directory_id uuid not null,
  id uuid not null,
  kind text not null,
  message_sealed text not null,
  attempts integer default 0 not null,
  last_error text,
  useful_until timestamptz not null,
  -- Set in development without a provider, where messages stay to be read at /dev/mail.
  kept boolean default false not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, id),
  constraint sms_outbox_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index sms_outbox_by_expiry on sms_outbox (useful_until);

-- One row for each directory that has set its policy.
create table mfa_policies (
  directory_id uuid not null,
  require_mfa boolean not null,
  grace_period_days integer not null,
  allowed_methods text[] not null,
  enforce_for_roles text[] not null,
  -- When the policy first required a second factor. Kept when it no longer does, so that turning it off and on does
  -- not start a new grace period.
  required_since timestamptz,
  version integer default 1 not null,
  updated_at timestamptz default clock_now() not null,
  -- Fields that the directory inherits from the policy of its environment's account-level directory. An earlier
  -- release uses the values stored in these fields' columns.
  inherited text[] default '{}' not null,
  primary key (directory_id),
  constraint mfa_policies_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Until when a user may sign in without the required factor. Written once and never changed.
create table mfa_grace (
  directory_id uuid not null,
  user_id uuid not null,
  ends_at timestamptz not null,
  created_at timestamptz default clock_now() not null,
  -- When the grace period of a team member began, which is when they got the first role that the policy covers. A role
  -- that is given after the first one was removed has its own period. Null for users, and for periods of an earlier
  -- release, which are compared by their end instead.
  began_at timestamptz,
  primary key (directory_id, user_id),
  constraint mfa_grace_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Authenticator apps, one for each user. An app is pending until its first code has confirmed it.
create table totp_enrollments (
  directory_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  secret_sealed text not null,
  attempts integer default 0 not null,
  -- The time step of the last accepted code. No code is accepted twice (RFC 6238 §5.2).
  last_step bigint default 0 not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz,
  confirmed_at timestamptz,
  constraint totp_enrollments_check check ((confirmed_at is null) = (expires_at is not null)),
  primary key (directory_id, user_id),
  constraint totp_enrollments_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index totp_enrollments_by_expiry on totp_enrollments (expires_at) where expires_at is not null;

-- One row for each unused code, found by its first character, so that an attempt costs one hash.
create table backup_codes (
  directory_id uuid not null,
  user_id uuid not null,
  slot text not null,
  hash text not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, user_id, slot),
  constraint backup_codes_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Phones that receive codes as a second factor, one for each user. A phone is pending until its first code has
-- confirmed it.
create table mfa_phones (
  directory_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  phone text not null,
  code_hash bytea,
  attempts integer default 0 not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz,
  confirmed_at timestamptz,
  primary key (directory_id, user_id),
  constraint mfa_phones_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index mfa_phones_by_expiry on mfa_phones (expires_at) where expires_at is not null;

-- Sign-ins that wait for their second factor.
create table mfa_challenges (
  directory_id uuid not null,
  id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  -- The first factor.
  auth_method text not null,
  amr text[] not null,
  -- The session whose refresh demanded the factor. It ends when the challenge is passed.
  session_id uuid,
  -- Keyed hash of the end user's network, if it was known at the first factor.
  network_hash bytea,
  -- Whether the user has no factor yet and must enroll one to pass.
  enrollment boolean not null,
  sms_code_hash bytea,
  attempts integer default 0 not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The key under which the user's wrong codes are counted, so that one statement finds the challenge and counts
  -- there. Null for challenges of an earlier release, which are valid for five minutes. Their sign-ins must start
  -- again.
  failure_identity bytea,
  -- The hash of a password that the user chose in place of one that must be changed, stored until the second factor
  -- was proved.
  next_password_hash text,
  -- The user's epoch when the challenge's first factor was proved. A cut-off since then ends the challenge. Null for
  -- challenges of an earlier release, which are valid for five minutes.
  user_epoch integer,
  primary key (directory_id, id)
);
create unique index mfa_challenges_by_token on mfa_challenges (directory_id, token_hash);
create index mfa_challenges_by_user on mfa_challenges (directory_id, user_id);
create index mfa_challenges_by_expiry on mfa_challenges (expires_at);

-- Devices that need no second factor for a limited time.
create table trusted_devices (
  directory_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null,
  user_agent text,
  created_at timestamptz default clock_now() not null,
  last_used_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  primary key (directory_id, id),
  constraint trusted_devices_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index trusted_devices_by_token on trusted_devices (directory_id, token_hash);
create index trusted_devices_by_user on trusted_devices (directory_id, user_id, created_at);
create index trusted_devices_by_expiry on trusted_devices (expires_at);

-- Passkeys (WebAuthn Level 3). `credential_id` is base64url, as browsers write it. `public_key` is a COSE key.
create table passkeys (
  directory_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  credential_id text not null collate pg_catalog."C",
  public_key bytea not null,
  -- The authenticator's signature counter. Many have none and stay at 0.
  counter bigint not null,
  transports text[] not null,
  device_type text not null,
  backed_up boolean not null,
  aaguid uuid not null,
  device_name text,
  -- The relying party that the passkey was created for. It works for no other.
  rp_id text not null,
  user_handle bytea not null,
  created_at timestamptz default clock_now() not null,
  last_used_at timestamptz,
  constraint passkeys_device_type_check check (device_type in ('singleDevice', 'multiDevice')),
  primary key (directory_id, id),
  constraint passkeys_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index passkeys_by_credential on passkeys (directory_id, credential_id);
create index passkeys_by_user on passkeys (directory_id, user_id, created_at, id);
create index passkeys_by_credential_id on passkeys (credential_id);

-- Challenges that were sent to a browser. Each accepts one response, right or wrong.
create table webauthn_ceremonies (
  directory_id uuid not null,
  id uuid not null,
  kind text not null,
  -- Null for an unknown address, for a user without a passkey, and if no address was given.
  user_id uuid,
  -- Keyed hash of the address in the sign-in.
  identity bytea,
  challenge bytea not null,
  rp_id text not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (directory_id, id),
  constraint webauthn_ceremonies_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index webauthn_ceremonies_by_user on webauthn_ceremonies (directory_id, user_id) where user_id is not null;
create index webauthn_ceremonies_by_expiry on webauthn_ceremonies (expires_at);

create table passkey_settings (
  directory_id uuid not null,
  settings jsonb not null,
  updated_at timestamptz default clock_now() not null,
  -- The relying party that the directory names. Which directory decides the origins of a host depends on the time
  -- since when it has named it. Null if the directory inherits its relying party.
  named_rp_id text,
  named_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint passkey_settings_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index passkey_settings_by_rp_id on passkey_settings (((settings ->> 'rp_id')));

-- Positions of the stream at certain times, so that a reader can start some days back without a search.
create table event_marks (
  at timestamptz default clock_now() not null,
  epoch bigint not null,
  tx_id xid8 not null,
  primary key (at)
);

-- Work that remains after sessions have ended through an epoch: updating their rows and recording events.
create table session_cut_offs (
  directory_id uuid not null,
  id uuid not null,
  -- The user whose sessions ended. Null for all users of the directory's organization.
  user_id uuid,
  -- Sessions of an earlier epoch have ended.
  epoch integer not null,
  reason text not null,
  actor_type text not null,
  actor_id text,
  request_id text,
  ip_address text,
  user_agent text,
  ended_at timestamptz not null,
  -- From this time on, no sign-in with an earlier epoch of the organization is in progress.
  settles_at timestamptz not null,
  -- From which time on sessions are checked again after `settles_at`.
  looks_back_to timestamptz not null,
  -- The age of the last session that was checked. Older sessions are done.
  reached_at timestamptz default '-infinity'::timestamptz not null,
  on_behalf_of jsonb,
  via jsonb,
  primary key (directory_id, id)
);
create index session_cut_offs_by_settling on session_cut_offs (settles_at);

-- Failures that are only counted and not recorded individually. A job records the numbers.
create table event_counts (
  directory_id uuid not null,
  -- A key for failures that are counted together: type, target and data. Failures without a target are spread over a
  -- few rows, so that concurrent requests do not wait for one row.
  key bytea not null,
  type text not null,
  target_type text,
  target_id text,
  data jsonb not null,
  count integer default 1 not null,
  first_at timestamptz default clock_now() not null,
  last_at timestamptz default clock_now() not null,
  primary key (directory_id, key)
);

-- The domains of organizations. A reference table, as for keys, because a domain has only one owner among all
-- organizations of an environment.
create table domains (
  id uuid not null,
  directory_id uuid not null,
  environment_id uuid not null,
  organization_id uuid not null,
  -- In the ASCII form of IDNA and in lower case.
  domain text not null,
  -- Public: the organization publishes it in the DNS.
  token text not null,
  status text default 'pending' not null,
  verified_at timestamptz,
  last_checked_at timestamptz,
  last_error text,
  -- For a verified domain: since when the periodic checks have not found its record, and how often the DNS said so.
  failing_since timestamptz,
  failed_checks integer default 0 not null,
  -- Null unless the domain is verified.
  next_check_at timestamptz,
  created_at timestamptz default clock_now() not null,
  constraint domains_check check ((status = 'verified') = (verified_at is not null)),
  constraint domains_status_check check (status in ('pending', 'verified', 'failed')),
  primary key (directory_id, id),
  constraint domains_directory_id_domain_key unique (directory_id, domain),
  constraint domains_directory_id_fkey foreign key (directory_id) references directories(id),
  constraint domains_environment_id_fkey foreign key (environment_id) references environments(id),
  constraint domains_organization_id_fkey foreign key (organization_id) references organizations(id)
);
create unique index domains_one_owner on domains (environment_id, domain) where status = 'verified';
create index domains_by_organization on domains (organization_id, environment_id);
create index domains_by_next_check on domains (next_check_at) where next_check_at is not null;

-- Connections to organizations' identity providers. `config` has everything that the protocol needs except the secret.
create table sso_connections (
  directory_id uuid not null,
  id uuid not null,
  -- The directory's environment, so that an org-wide key can list an environment with one index.
  environment_id uuid not null,
  name text not null,
  protocol text not null,
  status text default 'draft' not null,
  config jsonb default '{}' not null,
  oidc_client_secret_sealed text,
  -- The result of the last test.
  last_test jsonb,
  last_login_at timestamptz,
  -- When the connection's metadata and certificates are checked next, and how many days were left when the last event
  -- about an expiring certificate was recorded.
  next_check_at timestamptz,
  expiry_told_days integer,
  version integer default 1 not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  constraint sso_connections_protocol_check check (protocol in ('saml', 'oidc')),
  constraint sso_connections_status_check check (status in ('draft', 'testing', 'active', 'error')),
  primary key (directory_id, id),
  constraint sso_connections_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index sso_connections_by_age on sso_connections (directory_id, created_at, id);
create index sso_connections_of_environment_by_age on sso_connections (environment_id, created_at, id);
create index sso_connections_of_environment_by_id on sso_connections (environment_id, id);
create index sso_connections_by_next_check on sso_connections (next_check_at) where next_check_at is not null;
-- An identity provider knows only the id of a connection: where it fetches the service's metadata, and where it sends
-- browsers that start at the provider.
create index sso_connections_by_id on sso_connections (id);

-- Key pairs with which the service signs and decrypts as a SAML service provider, for each environment. A reference
-- table, as for signing keys.
create table sp_keys (
  environment_id uuid not null,
  id uuid not null,
  use text not null,
  -- `next` is published together with `current`, and `former` stays published, until every provider knows the new key.
  status text not null,
  certificate_pem text not null,
  private_key_sealed text not null,
  not_after timestamptz not null,
  created_at timestamptz default clock_now() not null,
  constraint sp_keys_status_check check (status in ('current', 'next', 'former')),
  constraint sp_keys_use_check check (use in ('signing', 'encryption')),
  primary key (environment_id, id),
  constraint sp_keys_environment_id_fkey foreign key (environment_id) references environments(id)
);
create unique index sp_keys_one_of_each on sp_keys (environment_id, use, status);

-- A user's identity at a provider: the subject that an issuer states, through a connection or a social provider.
create table identities (
  directory_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  method text not null,
  -- The id of the connection, or the name of the social provider.
  source text not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamptz default clock_now() not null,
  last_used_at timestamptz default clock_now() not null,
  -- Other ids of the person at the identity provider. A provisioning client that adds the person later finds the user
  -- by them. Existing rows contain what is known, and the next sign-in writes the rest.
  external_ids text[],
  -- In lower case.
  user_names text[],
  -- The `user_names` that administrators of an identity provider assign: `upn` and the SAML NameID. A provisioning
  -- client can find a user by one of these alone. The next sign-in writes what is missing.
  principal_names text[],
  -- The addresses that an identity provider stated when the identity was linked and at the last sign-in, unless it
  -- denied them. While both are equal, a provisioning client that adds the person finds the user by the address,
  -- whatever the user's own address is by then. Links of an earlier release have none.
  linked_address_norm text,
  address_norm text,
  -- The address and the assigned names as last stated. They stay if the provider states none, because the person can
  -- leave them out.
  last_address_norm text,
  last_principal_names text[],
  sector text,
  constraint identities_method_check check (method in ('sso', 'social')),
  primary key (directory_id, id),
  constraint identities_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index identities_by_subject on identities (directory_id, method, source, issuer, subject);
create index identities_by_user on identities (directory_id, user_id);
-- Without a list of pending entries, because every search would read it.
create index identities_by_external_ids on identities using gin (external_ids) with (fastupdate=off);
create index identities_by_user_names on identities using gin (user_names) with (fastupdate=off);
create index identities_of_social_persons on identities (subject, issuer) where method = 'social';

-- Sign-ins in progress at a provider. The browser returns the state, from which nonce and verifier are derived.
create table federated_sign_ins (
  directory_id uuid not null,
  id uuid not null,
  state_hash bytea not null,
  method text not null,
  source text not null,
  redirect_uri text not null,
  response_mode text not null,
  open_signup boolean,
  is_test boolean default false not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  force_authn boolean default false not null,
  session_id uuid,
  application_state text,
  constraint federated_sign_ins_response_mode_check check (response_mode in ('query', 'code')),
  primary key (directory_id, id),
  constraint federated_sign_ins_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index federated_sign_ins_by_state on federated_sign_ins (directory_id, state_hash);
create index federated_sign_ins_by_expiry on federated_sign_ins (expires_at);

-- The code that a browser takes to the application instead of tokens. The application's backend exchanges it for a
-- session, once.
create table exchange_codes (
  directory_id uuid not null,
  id uuid not null,
  code_hash bytea not null,
  user_id uuid,
  auth_method text not null,
  -- The id of the connection, or the name of the social provider.
  source text not null,
  amr text[] not null,
  aal text not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  identity_id uuid,
  logout_sealed text,
  name_hash bytea,
  provider_session_hash bytea,
  session_ends_at timestamptz,
  person_sealed text,
  constraint exchange_codes_aal_check check (aal in ('aal1', 'aal2')),
  constraint exchange_codes_of_user_or_person check ((user_id is null) = (person_sealed is not null)),
  primary key (directory_id, id),
  constraint exchange_codes_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index exchange_codes_by_code on exchange_codes (directory_id, code_hash);
create index exchange_codes_by_user on exchange_codes (directory_id, user_id);
create index exchange_codes_by_expiry on exchange_codes (expires_at);

-- Accepted assertions, stored until they expire, so that none is accepted twice.
create table saml_assertions (
  directory_id uuid not null,
  connection_id uuid not null,
  assertion_hash bytea not null,
  expires_at timestamptz not null,
  primary key (directory_id, connection_id, assertion_hash),
  constraint saml_assertions_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index saml_assertions_by_expiry on saml_assertions (expires_at);

-- What providers stated at recent sign-ins, for people to read. Sealed, because it is personal data.
create table sso_traces (
  directory_id uuid not null,
  id uuid not null,
  connection_id uuid not null,
  is_test boolean not null,
  outcome text not null,
  code text,
  said_sealed text not null,
  created_at timestamptz default clock_now() not null,
  constraint sso_traces_outcome_check check (outcome in ('accepted', 'refused')),
  primary key (directory_id, id),
  constraint sso_traces_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index sso_traces_by_connection on sso_traces (directory_id, connection_id, created_at, id);
create index sso_traces_by_age on sso_traces (created_at);

-- Settings of social providers, with the directory's own credentials.
create table social_providers (
  directory_id uuid not null,
  provider text not null,
  enabled boolean not null,
  client_id text,
  -- The client secret, or Apple's private key.
  secret_sealed text,
  options jsonb default '{}' not null,
  updated_at timestamptz default clock_now() not null,
  constraint social_providers_provider_check check (provider in ('google', 'github', 'apple', 'microsoft')),
  primary key (directory_id, provider),
  constraint social_providers_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- The identity with which a session began, and the sealed data that its provider needs for a logout. Null if the
-- provider supports none.
create table federated_sessions (
  directory_id uuid not null,
  -- The id of the session, which is also the id of the challenge before it, if there was one.
  id uuid not null,
  user_id uuid not null,
  identity_id uuid not null,
  logout_sealed text,
  expires_at timestamptz not null,
  name_hash bytea,
  provider_session_hash bytea,
  -- When the session must end, as the identity provider says (SAML core §2.7.2, SessionNotOnOrAfter; `session_expiry`
  -- of an ID token). Set at the sign-in for the session that results from it. Null: no limit.
  session_ends_at timestamptz,
  primary key (directory_id, id),
  constraint federated_sessions_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index federated_sessions_by_user on federated_sessions (directory_id, user_id);
create index federated_sessions_by_expiry on federated_sessions (expires_at);
create index federated_sessions_by_name on federated_sessions (directory_id, name_hash) where name_hash is not null;
create index federated_sessions_by_provider_session on federated_sessions (directory_id, provider_session_hash)
  where provider_session_hash is not null;

-- Accepted logout tokens of OpenID providers, stored until they expire, so that none is accepted twice.
create table logout_tokens (
  directory_id uuid not null,
  connection_id uuid not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  primary key (directory_id, connection_id, token_hash),
  constraint logout_tokens_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index logout_tokens_by_expiry on logout_tokens (expires_at);

-- SCIM provisioning (RFC 7644) of each organization: whether it is on, and its settings.
create table scim_configs (
  directory_id uuid not null,
  enabled boolean default false not null,
  -- The connection whose group_role_mapping decides which roles provisioned groups give.
  sso_connection_id uuid,
  on_deprovision text default 'deactivate' not null,
  last_request_at timestamptz,
  updated_at timestamptz default clock_now() not null,
  constraint scim_configs_on_deprovision_check check (on_deprovision in ('deactivate', 'delete')),
  primary key (directory_id),
  constraint scim_configs_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Bearer tokens of provisioning clients. They are found without a directory, because only the row says which directory
-- a token belongs to. A reference table, as for API keys.
create table scim_tokens (
  id uuid not null,
  directory_id uuid not null,
  token_hash bytea not null,
  -- The last characters, which identify a token for people.
  hint text not null,
  -- Set when another token has replaced this one.
  expires_at timestamptz,
  created_at timestamptz default clock_now() not null,
  -- When the token expires by itself, apart from the end that a replacement sets, and how many days were left at the
  -- last event about it.
  lifetime_ends_at timestamptz,
  told_days integer,
  primary key (id),
  constraint scim_tokens_token_hash_key unique (token_hash),
  constraint scim_tokens_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index scim_tokens_by_directory on scim_tokens (directory_id);
create index scim_tokens_by_expiry on scim_tokens (expires_at) where expires_at is not null;
create index scim_tokens_by_lifetime on scim_tokens (lifetime_ends_at)
  where (lifetime_ends_at is not null) and (told_days is distinct from 0);

-- A provisioning client's users, with the ids and data that it sent. A row is kept for thirty days after the client
-- deletes the user, so that it can restore the same user.
create table scim_users (
  directory_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  user_name_folded text generated always as (lower(user_name)) stored not null collate pg_catalog."C",
  external_id text,
  -- In the schemas' spelling, without attributes that the service stores itself.
  resource jsonb not null,
  created_at timestamptz default clock_now() not null,
  deleted_at timestamptz,
  -- Whether the provisioning client deleted the user, and not a caller of the API. A new user with the same userName
  -- then gets the lock of the deleted one.
  deleted_by_client boolean default false not null,
  -- The identity provider subjects with which a deleted resource's user signed in, each as connection, issuer and
  -- subject on separate lines. While the client may restore the user, the provider opens no other user for these
  -- subjects.
  subjects text[],
  primary key (directory_id, user_id),
  constraint scim_users_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index scim_users_by_user_name on scim_users (directory_id, user_name_folded) where deleted_at is null;
create index scim_users_live on scim_users (directory_id, user_id) where deleted_at is null;
create index scim_users_by_id_text on scim_users (directory_id, ((user_id)::text)) where deleted_at is null;
create index scim_users_by_deletion on scim_users (deleted_at) where deleted_at is not null;
create index scim_users_by_external_id on scim_users (directory_id, external_id) where external_id is not null;
create index scim_users_by_former_name on scim_users (directory_id, user_name_folded) where deleted_at is not null;
create index scim_users_by_subjects on scim_users using gin (subjects) with (fastupdate=off) where deleted_at is not null;

-- The addresses of these users, for searches.
create table scim_user_emails (
  directory_id uuid not null,
  user_id uuid not null,
  n integer not null,
  value text not null,
  value_folded text generated always as (lower(value)) stored not null collate pg_catalog."C",
  type text,
  is_primary boolean not null,
  primary key (directory_id, user_id, n),
  constraint scim_user_emails_directory_id_fkey foreign key (directory_id) references directories(id),
  constraint scim_user_emails_directory_id_user_id_fkey foreign key (directory_id, user_id) references scim_users(directory_id, user_id) on delete cascade
);
create index scim_user_emails_by_value on scim_user_emails (directory_id, value_folded);

-- Groups of provisioning clients.
create table scim_groups (
  directory_id uuid not null,
  id uuid not null,
  display_name text not null,
  display_name_folded text generated always as (lower(display_name)) stored not null collate pg_catalog."C",
  external_id text,
  -- The other attributes that the client sent.
  resource jsonb not null,
  -- Also rises when members change, so that the version can be shown without reading the members.
  version integer default 1 not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id, id),
  constraint scim_groups_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index scim_groups_by_name on scim_groups (directory_id, display_name_folded);
create index scim_groups_by_id_text on scim_groups (directory_id, ((id)::text));
create index scim_groups_by_change on scim_groups (directory_id, updated_at);
create index scim_groups_by_age on scim_groups (directory_id, created_at);
create index scim_groups_by_external_id on scim_groups (directory_id, external_id) where external_id is not null;

create table scim_group_members (
  directory_id uuid not null,
  group_id uuid not null,
  user_id uuid not null,
  primary key (directory_id, group_id, user_id),
  constraint scim_group_members_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index scim_group_members_by_user on scim_group_members (directory_id, user_id);
create index scim_group_members_by_text on scim_group_members (directory_id, ((user_id)::text));

-- Groups within groups.
create table scim_group_groups (
  directory_id uuid not null,
  group_id uuid not null,
  member_id uuid not null,
  primary key (directory_id, group_id, member_id),
  constraint scim_group_groups_directory_id_fkey foreign key (directory_id) references directories(id),
  constraint scim_group_groups_directory_id_group_id_fkey foreign key (directory_id, group_id) references scim_groups(directory_id, id) on delete cascade,
  constraint scim_group_groups_directory_id_member_id_fkey foreign key (directory_id, member_id) references scim_groups(directory_id, id) on delete cascade
);
create index scim_group_groups_by_member on scim_group_groups (directory_id, member_id);
create index scim_group_groups_by_text on scim_group_groups (directory_id, ((member_id)::text));

-- Requests of provisioning clients, and the responses. Sealed, because they are personal data.
create table scim_logs (
  directory_id uuid not null,
  id uuid not null,
  method text not null,
  route text not null,
  status integer not null,
  code text,
  said_sealed text not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, id),
  constraint scim_logs_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index scim_logs_by_age on scim_logs (directory_id, created_at, id);
create index scim_logs_by_end on scim_logs (created_at);

-- Endpoints to which events are sent, signed as in Standard Webhooks 1.0.
create table webhooks (
  directory_id uuid not null,
  environment_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  -- Event types, and prefixes such as user.*
  events text[] not null,
  enabled boolean default true not null,
  disabled_reason text,
  secret_sealed text not null,
  secret_hint text not null,
  -- The previous secret. Deliveries are also signed with it until this time.
  previous_secret_sealed text,
  previous_until timestamptz,
  -- Only events from this time on are sent.
  listening_since timestamptz default clock_now() not null,
  version integer default 1 not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  constraint webhooks_check check ((disabled_reason is null) = enabled),
  constraint webhooks_disabled_reason_check check (disabled_reason in ('failing', 'gone', 'request')),
  primary key (directory_id, id),
  constraint webhooks_directory_id_fkey foreign key (directory_id) references directories(id),
  constraint webhooks_environment_id_fkey foreign key (environment_id) references environments(id)
);
create index webhooks_by_age on webhooks (directory_id, created_at, id);
create index webhooks_of_environment on webhooks (environment_id, created_at, id);

-- What is due at each endpoint, and its health. Separate from the endpoint's record, because this changes with every
-- delivery.
create table webhook_queues (
  directory_id uuid not null,
  webhook_id uuid not null,
  -- When something is due. Null: nothing is.
  wake_at timestamptz,
  -- Rises with each new event, so that a worker that releases the queue notices an event that it has missed.
  wakes bigint default 0 not null,
  -- The process that works on the queue. If it dies, the queue is free again when the lease is over.
  holder uuid,
  leased_until timestamptz default clock_now() not null,
  -- Slow or failing. Such endpoints have their own places, so that they take none from healthy endpoints.
  troubled boolean default false not null,
  consecutive_failures integer default 0 not null,
  failing_since timestamptz,
  last_failure_at timestamptz,
  last_delivery_at timestamptz,
  primary key (directory_id, webhook_id),
  constraint webhook_queues_directory_id_webhook_id_fkey foreign key (directory_id, webhook_id) references webhooks(directory_id, id) on delete cascade
);
create index webhook_queues_due on webhook_queues (troubled, wake_at) where wake_at is not null;

-- The delivery of one event to one endpoint, and its result. The event itself is not stored again.
create table webhook_deliveries (
  directory_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event_directory_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text default 'pending' not null,
  -- How often it was sent, and how often since it was last queued, which determines the next delay.
  attempt integer default 0 not null,
  tries integer default 0 not null,
  due_at timestamptz,
  -- The URL of the last attempt.
  url text,
  request_headers jsonb,
  response_status integer,
  response_body text,
  error text,
  duration_ms integer,
  -- The latest attempts, newest last.
  attempts jsonb default '[]' not null,
  created_at timestamptz default clock_now() not null,
  constraint webhook_deliveries_check check ((status = 'pending') = (due_at is not null)),
  constraint webhook_deliveries_status_check check (status in ('pending', 'succeeded', 'failed')),
  primary key (directory_id, id),
  constraint webhook_deliveries_directory_id_webhook_id_event_id_key unique (directory_id, webhook_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (directory_id, webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_listed on webhook_deliveries (directory_id, webhook_id, id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- The position up to which an environment's events were assigned to its endpoints.
create table webhook_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  primary key (environment_id),
  constraint webhook_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- Makes changes of old events detectable: digests of each directory's events, in stream order, in blocks that are
-- chained by keyed hashes. A job appends blocks, so recording events does no extra work.
create table audit_blocks (
  directory_id uuid not null,
  -- Counted from 1 in each directory.
  seq integer not null,
  environment_id uuid not null,
  -- The position of the block's last event in the stream.
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  -- The times of the first and the last event.
  first_at timestamptz not null,
  last_at timestamptz not null,
  event_ids uuid[] not null,
  -- The digests of the block's events, all of the same length.
  digests bytea not null,
  -- A hash over all of this and the hash of the previous block.
  hash bytea not null,
  -- No default, so that a process of an earlier release, whose digests cover fewer columns of an event, can add no
  -- block.
  digest_version smallint not null,
  primary key (directory_id, seq)
);
-- Finds the approximate position in the stream of any time. The marks only reach back a month.
create index audit_blocks_of_environment on audit_blocks (environment_id, last_at);
create index audit_blocks_of_directory on audit_blocks (directory_id, last_at);

-- The beginning and the end of each directory's chain.
create table audit_heads (
  directory_id uuid not null,
  seq integer not null,
  hash bytea not null,
  -- The last block that was removed together with its events when their retention was over, and a keyed hash that
  -- proves it.
  anchor_seq integer default 0 not null,
  anchor_hash bytea,
  anchor_seal bytea,
  constraint audit_heads_check check (((anchor_seq = 0) = (anchor_hash is null)) and ((anchor_hash is null) = (anchor_seal is null))),
  primary key (directory_id)
);

-- The position up to which an environment's events are chained.
create table audit_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  primary key (environment_id),
  constraint audit_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- How long events are kept. Null: as long as the deployment says.
create table audit_settings (
  directory_id uuid not null,
  settings jsonb default '{}' not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint audit_settings_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Roles that organizations define themselves.
create table roles (
  directory_id uuid not null,
  id uuid not null,
  slug text not null collate pg_catalog."C",
  name text not null,
  name_folded text generated always as (lower(name)) stored not null collate pg_catalog."C",
  description text,
  permissions text[] not null,
  version integer default 1 not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id, id),
  constraint roles_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index roles_by_slug on roles (directory_id, slug);
create unique index roles_by_name on roles (directory_id, name_folded);

-- Who has which role, and its source.
create table role_assignments (
  directory_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  role_id uuid not null,
  source text not null,
  created_at timestamptz default clock_now() not null,
  constraint role_assignments_source_check check (source in ('manual', 'sso', 'scim')),
  primary key (directory_id, user_id, role_id, source),
  constraint role_assignments_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index role_assignments_by_role on role_assignments (directory_id, role_id);
create index role_assignments_by_age on role_assignments (directory_id, created_at, id);

create table member_roles (
  directory_id uuid not null,
  id uuid not null,
  membership_id uuid not null,
  role_id uuid not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, membership_id, role_id),
  constraint member_roles_directory_id_fkey foreign key (directory_id) references directories(id),
  constraint member_roles_membership_id_fkey foreign key (membership_id) references members(id) on delete cascade
);
create index member_roles_by_role on member_roles (directory_id, role_id);
create index member_roles_by_membership on member_roles (membership_id);

-- Impersonation sessions, stored until their end is recorded.
create table impersonations (
  directory_id uuid not null,
  -- The id of the session.
  id uuid not null,
  user_id uuid not null,
  auth_account_id uuid not null,
  actor text not null,
  reason text not null,
  expires_at timestamptz not null,
  primary key (directory_id, id),
  constraint impersonations_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index impersonations_by_user on impersonations (directory_id, user_id);

-- Known devices of users: a keyed hash of the program and the network, so that users can be notified about the first
-- sign-in from another device.
create table known_devices (
  directory_id uuid not null,
  user_id uuid not null,
  device_hash bytea not null,
  -- The first device of a user is kept as long as the user, so that a notice about another device is sent after a long absence too.
  is_first boolean not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (directory_id, user_id, device_hash),
  constraint known_devices_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index known_devices_by_age on known_devices (seen_at) where not is_first;

-- The position up to which an environment's sign-ins were checked.
create table device_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  primary key (environment_id),
  constraint device_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- Whether the deployment's own applications at social providers are registered with the redirect URI that all
-- providers share. Deployments of earlier releases already have accounts and keep it. WATCHWORD_SOCIAL_CALLBACK
-- overrides this.
create table social_redirects (
  is_only boolean default true not null,
  is_shared boolean not null,
  constraint social_redirects_is_only_check check (is_only),
  primary key (is_only)
);

-- The roles that each SSO connection gives a user through groups. Their union is `users.sso_role` and the assignments
-- with source `sso`.
create table sso_roles (
  directory_id uuid not null,
  user_id uuid not null,
  connection_id uuid not null,
  -- The mapped groups that the user was in at the last sign-in through the connection. Null: recorded by an earlier
  -- release.
  groups text[],
  is_admin boolean not null,
  role_ids uuid[] not null,
  primary key (directory_id, user_id, connection_id),
  constraint sso_roles_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index sso_roles_by_connection on sso_roles (directory_id, connection_id);

-- Versions of SCIM representations that change although their own row does not, because members of a group leave or
-- are renamed, or because a user's groups change. They have their own tables, whose rows are locked last, so that
-- these changes lock neither groups nor users.
create table scim_group_versions (
  directory_id uuid not null,
  group_id uuid not null,
  version integer not null,
  changed_at timestamptz not null,
  primary key (directory_id, group_id),
  constraint scim_group_versions_directory_id_fkey foreign key (directory_id) references directories(id)
);

create table scim_user_versions (
  directory_id uuid not null,
  user_id uuid not null,
  version integer not null,
  changed_at timestamptz not null,
  primary key (directory_id, user_id),
  constraint scim_user_versions_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Roles that team members have lost, in the account and on rosters of production organizations. A member who gets a
-- role back within 30 days continues the grace period for the second factor instead of starting a new one. Stored by
-- address, because a removed person who is invited again has a new row in members and a new user. If a role is lost
-- again within 30 days, its row is updated, so a person has few rows however often their role changes.
create table former_team_roles (
  account_id uuid not null,
  email_norm text not null collate pg_catalog."C",
  role text not null,
  since timestamptz not null,
  until timestamptz not null,
  constraint former_team_roles_role_check check (role in ('owner', 'admin', 'member', 'developer')),
  primary key (account_id, email_norm, role, until),
  constraint former_team_roles_account_id_fkey foreign key (account_id) references accounts(id)
);
create index former_team_roles_until_idx on former_team_roles (until);

-- The position up to which changes of an environment's users were counted, and its time.
create table user_count_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  checked_at timestamptz not null,
  primary key (environment_id),
  constraint user_count_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- What the deployment knows about its database: its identity, whether outgoing messages are held, and when it was
-- recovered.
create table deployment (
  singleton boolean default true not null,
  -- The database with which the service last started. Null until the first start of this release.
  system_identifier text,
  database_oid oid,
  -- Since when and why mails, text messages and webhooks wait for the operator. Null while they are sent.
  outgoing_held_since timestamptz,
  outgoing_held_because text,
  -- The latest run of `watchword recover`.
  recovered_at timestamptz,
  constraint deployment_check check ((outgoing_held_since is null) = (outgoing_held_because is null)),
  constraint deployment_outgoing_held_because_check check (outgoing_held_because in ('copied', 'recovered', 'requested')),
  constraint deployment_singleton_check check (singleton),
  primary key (singleton)
);

-- The key with which development's identity provider signs (/dev/idp). Empty in production.
create table dev_idp_keys (
  -- Ensures that there is only one row.
  id smallint default 1 not null,
  certificate text not null,
  private_key_sealed text not null,
  constraint dev_idp_keys_id_check check (id = 1),
  primary key (id)
);

-- One row for each address of a directory for which mails bounced or whose owner complained. Rows of the account level
-- apply to every organization of the environment. If `reason` is null, the address is not suppressed.
create table bounced_addresses (
  directory_id uuid not null,
  environment_id uuid not null,
  id uuid not null,
  email_norm text not null,
  -- The latest soft bounces, at most three.
  soft_bounced_at timestamptz[] default '{}'::timestamptz[] not null,
  reason text,
  -- The status of the bounce that caused the suppression (RFC 3463).
  status text,
  source text,
  suppressed_at timestamptz,
  -- Null: until the suppression is cleared.
  suppressed_until timestamptz,
  withheld integer default 0 not null,
  last_withheld_at timestamptz,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  constraint bounced_addresses_check check ((reason is null) = (suppressed_at is null)),
  constraint bounced_addresses_reason_check check (reason in ('hard_bounce', 'complaint', 'soft_bounces')),
  constraint bounced_addresses_source_check check (source in ('smtp', 'report')),
  primary key (directory_id, id),
  constraint bounced_addresses_directory_id_email_norm_key unique (directory_id, email_norm),
  constraint bounced_addresses_directory_id_fkey foreign key (directory_id) references directories(id),
  constraint bounced_addresses_environment_id_fkey foreign key (environment_id) references environments(id)
);
create index bounced_addresses_by_age on bounced_addresses (directory_id, created_at, id) where reason is not null;
create index bounced_addresses_of_environment on bounced_addresses (environment_id, created_at, id) where reason is not null;
create index bounced_addresses_by_change on bounced_addresses (updated_at);

-- Reports that were counted, so that a report that is sent again counts once.
create table bounce_reports (
  directory_id uuid not null,
  email_norm text not null,
  kind text not null,
  report_id text not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, email_norm, kind, report_id),
  constraint bounce_reports_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index bounce_reports_by_age on bounce_reports (created_at);

alter table environments add constraint environments_organization_id_fkey foreign key (organization_id) references organizations(id);

-- The identifier that initdb gives a cluster. Standbys share it. Null if the role or the provider does not allow
-- reading it.
create function database_system_identifier() returns text language plpgsql stable as $$
begin
  return (select system_identifier from pg_control_system());
exception when insufficient_privilege or feature_not_supported or object_not_in_prerequisite_state then
  return null;
end $$;

-- Whether this is a different database than the one with which the service last started: restored from a dump, or
-- copied.
create function database_was_copied() returns boolean language sql stable as $$
  select coalesce(system_identifier <> database_system_identifier(), false)
    or coalesce(database_oid <> (select oid from pg_database where datname = current_database()), false)
  from deployment
$$;

-- This database in this cluster on its current timeline, which the control file shows only after a checkpoint. Null if
-- the role may not read it.
create function event_cluster() returns text language plpgsql stable as $$
begin
  return (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '/' || (select oid from pg_database where datname = current_database());
exception when insufficient_privilege or feature_not_supported or object_not_in_prerequisite_state then
  return null;
end $$;

create function keep_open_invite() returns trigger language plpgsql as $$
begin
  new.open_invite_until = case when new.used_at is null and new.closed_at is null then new.expires_at end;
  if new.environment_id is null then
    select environment_id into new.environment_id from directories where id = new.directory_id;
  end if;
  return new;
end $$;

-- Completes rows that an earlier release writes while it still runs.
create function place_event() returns trigger language plpgsql as $$
begin
  select account_id, environment_id into new.account_id, new.environment_id
  from directories where id = new.directory_id;
  return new;
end $$;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.last_at < clock_now() - interval '35 days' then
    return old;
  end if;
  raise exception 'audit blocks are append-only';
end $$;

-- Personal parts of an event can be erased, but only to fixed values. `audit verify` accepts that only if a sealed
-- event lists the erased event.
create function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.created_at < clock_now() - interval '35 days' then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.actor_type = 'erased' and new.data = '{}'::jsonb and new.actor_id is null
    and new.previous is null and new.via is null and new.on_behalf_of is null and new.request_id is null
    and new.ip_address is null and new.user_agent is null
    and new.directory_id = old.directory_id and new.account_id = old.account_id
    and new.environment_id = old.environment_id and new.id = old.id and new.epoch = old.epoch
    and new.tx_id = old.tx_id and new.created_at = old.created_at and new.type = old.type
    and new.target_type is not distinct from old.target_type and new.target_id is not distinct from old.target_id then
    return new;
  end if;
  raise exception 'events are append-only';
end $$;

create trigger audit_blocks_append_only before delete or update on audit_blocks for each row execute function refuse_audit_change();
create trigger events_append_only before delete or update on events for each row execute function refuse_event_change();
create trigger events_placed before insert on events for each row when (new.environment_id is null) execute function place_event();
create trigger links_open_invite before insert or update on links for each row when (new.purpose = 'invite') execute function keep_open_invite();

-- Lists of these tables read one directory of many, or one directory that has most of the rows.
select expect_many_rows(name::regclass) from unnest(array[
  'events', 'rate_counters', 'mail_outbox', 'users', 'sessions', 'otps', 'otp_settings', 'auth_settings',
  'service_configs', 'password_credentials', 'password_history', 'links', 'lockouts', 'mail_settings', 'sms_outbox',
  'mfa_policies', 'mfa_grace', 'totp_enrollments', 'backup_codes', 'mfa_phones', 'mfa_challenges', 'trusted_devices',
  'passkeys', 'webauthn_ceremonies', 'passkey_settings', 'session_cut_offs', 'event_counts', 'domains',
  'sso_connections', 'identities', 'federated_sign_ins', 'exchange_codes', 'saml_assertions', 'sso_traces',
  'social_providers', 'federated_sessions', 'logout_tokens', 'scim_configs', 'scim_tokens', 'scim_users',
  'scim_user_emails', 'scim_groups', 'scim_group_members', 'scim_group_groups', 'scim_logs', 'webhooks',
  'webhook_queues', 'webhook_deliveries', 'audit_blocks', 'audit_heads', 'audit_settings', 'roles', 'role_assignments',
  'member_roles', 'impersonations', 'known_devices', 'sso_roles', 'scim_group_versions', 'scim_user_versions',
  'bounced_addresses', 'bounce_reports'
]) as name;

-- Before the first analysis, the planner estimates that almost all users are deleted, so any index of the others seems
-- to lead to one row.
do $$
begin
  if to_regproc('pg_catalog.pg_restore_attribute_stats') is not null
    and not exists (select from pg_extension where extname = 'citus') then
    perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'users', 'attname', 'deleted_at',
      'inherited', false, 'version', current_setting('server_version_num')::int,
      'null_frac', 1::real, 'avg_width', 8, 'n_distinct', 0::real);
  end if;
end $$;

-- The single rows of tables that have only one.
insert into event_stream (epoch) values (1);
insert into social_redirects (is_shared) values (false);
insert into deployment default values;
