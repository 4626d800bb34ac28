-- The schema of release 0.1.0. A later release changes it by a new file. A released file never changes.

-- The clock of every expiry, in the milliseconds that the API shows, so that a cursor names a row exactly. Inlined by
-- the planner; a test database replaces it to travel in time.
create function clock_now() returns timestamptz language sql stable parallel safe as $$select date_trunc('milliseconds', now())$$;

-- To be called for every new table with a `directory_id`.
create function expect_many_rows(of_table regclass) returns void language plpgsql as $$
declare
  plain name := (select relname from pg_class where oid = of_table);
  has_statistics boolean := (select reltuples > 0 from pg_class where oid = of_table);
begin
  -- Citus takes no such option: plans are made on its workers.
  if exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  -- A twentieth of the table: enough that only an index of more columns will do, and little enough that the planner goes by the
  -- directory rather than through all of them.
  execute format('alter table %s alter column directory_id set (n_distinct = 20)', of_table);
  -- The option takes effect at the next analysis, and a new table has its first after dozens of rows. PostgreSQL 18 can be
  -- given the statistics at once.
  if has_statistics then
    execute format('analyze %s', of_table);
  elsif to_regproc('pg_catalog.pg_restore_attribute_stats') is not null then
    perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', plain::text,
      'attname', 'directory_id', 'inherited', false, 'version', current_setting('server_version_num')::int,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 20::real);
  end if;
end $$;

-- Events become a stream that can be read in the order of their commits, and tell where and from where they came.
create table event_stream (
  singleton boolean default true not null,
  -- Rises whenever the database moves to another cluster, or back in time: transaction ids begin anew there.
  epoch bigint not null,
  cluster text,
  -- The epochs before, whose cursors go on.
  earlier bigint[] default '{}' not null,
  -- For epochs that ended when the database lost transactions: the transaction of their last event, by epoch. Consumers that
  -- read beyond it have seen lost events.
  ends jsonb default '{}' not null,
  constraint event_stream_singleton_check check (singleton),
  primary key (singleton)
);

-- Reference tables: small, shared by every shard, found without a directory.
create table accounts (
  id uuid not null,
  name text not null,
  -- The account whose production environment answers at the bare base URL (`iss`, JWKS).
  home boolean default false not null,
  created_at timestamptz default clock_now() not null,
  primary key (id)
);
create unique index accounts_one_home on accounts (home) where home;

create table environments (
  id uuid not null,
  account_id uuid not null,
  -- A custom environment made for one organization takes only keys of that organization.
  organization_id uuid,
  name text not null,
  slug text not null,
  type text not null,
  signing_algorithm text default 'ES256' not null,
  created_at timestamptz default clock_now() not null,
  -- The last part of the address of the issuer, which never changes and is of one environment of the account alone: where
  -- it is null the slug, as it was for all, and for later custom environments their id.
  issuer_name text,
  -- Of the entity tag by which two who change an environment notice each other.
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
  -- The environment that an organization belongs to. Null for production, whose organizations every environment uses; an
  -- organization of another environment exists there alone. Also null for what the release before creates meanwhile.
  home_environment_id uuid,
  -- When people, credentials and personal data go. Null: no erasure was requested.
  erase_at timestamptz,
  -- A keyed hash of the schedule. Without it the service erases nothing, so write access to the database is not enough.
  erase_seal bytea,
  -- When the erasure began. From then on the organization does not exist for any caller, and cannot be restored.
  erased_at timestamptz,
  -- 0: not begun. 1: begun. 2: events elsewhere that name its people are erased. 3: everything is erased.
  -- 4: checked again after a day.
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

-- directory = organization × environment: the isolation unit. `account` holds what an org-wide key makes
-- without an organization, and the defaults that directories inherit; `console` holds the account's own team.
create table directories (
  id uuid not null,
  account_id uuid not null,
  environment_id uuid not null,
  organization_id uuid,
  kind text not null,
  created_at timestamptz default clock_now() not null,
  -- How many users a directory has, kept for those that have too many to count at each request: null for all others.
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
  -- On the roster of an organization: the membership of the same person in the account. Null for members of the account, and for
  -- members of that organization alone.
  account_member_id uuid,
  -- When the invitation expires.
  invite_expires_at timestamptz,
  -- The link by which an invitation to the team is accepted. Each invitation has its own, so that accepting one organization's
  -- invitation does not accept another's. Null for members who have joined, and for invitations of earlier releases.
  invite_link_id uuid,
  -- Since when a member of the team has the role: from then on the grace period for enrolling a second factor counts. For
  -- roles of an earlier release it counts from this migration.
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
  -- The first 12 characters, public: shown in lists, and what a presented key is looked up by.
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
  -- From where a key may be used: addresses and CIDRs; null for everywhere.
  allowed_ips text[],
  constraint api_keys_requests_per_second_check check (requests_per_second > 0),
  primary key (id),
  constraint api_keys_key_hash_key unique (key_hash),
  constraint api_keys_account_id_fkey foreign key (account_id) references accounts(id),
  constraint api_keys_environment_id_fkey foreign key (environment_id) references environments(id),
  constraint api_keys_organization_id_fkey foreign key (organization_id) references organizations(id)
);
create index api_keys_by_account on api_keys (account_id, created_at, id);

-- Random keys, wrapped by the master key. `hash` keys the digests of API keys, codes and tokens; `seal` keys
-- (one or more per account, none for the deployment's own) encrypt columns.
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
  -- A key and a membership with the same id never share a response. Null: a row of the release before, which goes by the id alone.
  caller_kind text,
  primary key (api_key_id, route, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Read with each event, so that a new epoch changes one row and no table.
create function event_epoch() returns bigint language sql stable as $$select epoch from event_stream$$;

-- Directory-owned tables: every key and index leads with directory_id.
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
  -- A reader that stops below the oldest transaction under way skips none that commits late.
  tx_id xid8 default pg_current_xact_id() not null,
  -- The person that the caller's backend acts for, as it says: {id, name}. Null: not said, or an event of the release before.
  on_behalf_of jsonb,
  -- The caller of a sign-in, whose events have the user as actor: {type, id}. Null: the actor called, or there was no caller.
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

-- Mail waiting to leave. Addressee, subject, text and the secrets in it are one sealed column; the row goes
-- once the mail has left or is of no use any more.
create table mail_outbox (
  directory_id uuid not null,
  id uuid not null,
  kind text not null,
  message_sealed text not null,
  attempts integer default 0 not null,
  last_error text,
  useful_until timestamptz not null,
  -- Set in development, where a mail without a mail server stays to be read at /dev/mail.
  kept boolean default false not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, id),
  constraint mail_outbox_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index mail_outbox_by_expiry on mail_outbox (useful_until);

-- Directory users. `id` is the directory user, `auth_account_id` (user_id on the wire) the account they sign in
-- with: one to one, made at the first sign-in, invitation or credential.
create table users (
  directory_id uuid not null,
  id uuid not null,
  -- Of the directory; lets an org-wide key list an environment by one index.
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
  -- Set while a signup waits for the proof of its mailbox: nothing may be attached to the row, and it is gone
  -- after this moment without one.
  pending_until timestamptz,
  last_login_at timestamptz,
  version integer default 1 not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  deleted_at timestamptz,
  invited_at timestamptz,
  -- Raised by whatever ends every way in: a sign-in that began before does not pass.
  epoch integer default 0 not null,
  -- What lists show of a lock; the lock itself is in `lockouts`.
  locked_until timestamptz,
  -- Second factors. `users.mfa_enrolled` says whether a user has one, so that a sign-in and a list need no look here.
  mfa_enrolled boolean default false not null,
  -- An address of the user was proved before the present one: a change of address is no way around a second factor.
  proved_before boolean default false not null,
  passkey_count integer default 0 not null,
  -- Raised by whatever ends every session of the user.
  session_epoch integer default 0 not null,
  -- How many live sessions the user has at most: below its limit a sign-in counts none. Not known of users who are here
  -- already: more than any limit.
  sessions_at_most integer default 0 not null,
  -- How often a user has signed in within the present minute: kept by the statement that writes the session, under the lock
  -- of this row, which it updates anyway.
  sign_ins integer default 0 not null,
  sign_ins_since timestamptz,
  own_role text default 'member' not null,
  sso_role text,
  scim_role text,
  -- The roles assigned to a user, whatever gave them: sums up role_assignments, so that a sign-in reads no more than the user.
  role_ids uuid[] default '{}' not null,
  -- An external id is of one user of a directory. Until now several could have the same one: the oldest keeps it for good,
  -- and the others go on showing it until it is changed, without holding it.
  external_id_repeated boolean default false not null,
  -- BCP 47 tags in canonical form, by which the language of mails, text messages and pages is chosen: that of the user, or
  -- else that of the organization, or else that of the environment.
  locale text,
  -- When the user got the role in force. The grace period of a required second factor starts then. Null: at the creation of the
  -- user, or before this column existed.
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
-- An org-wide key without an organization reads its whole environment; as shard-local indexes these stay cheap.
create index users_of_environment_by_age on users (environment_id, created_at, id) where deleted_at is null;
create index users_of_environment_by_email on users (environment_id, email_norm) where deleted_at is null;
create index users_of_environment_by_id on users (environment_id, id);
create index users_of_environment_by_auth_account on users (environment_id, auth_account_id) where auth_account_id is not null;
create index users_of_environment_by_name on users (environment_id, lower(display_name) collate "C") where deleted_at is null;
create index users_of_environment_inactive on users (environment_id, created_at, id) where (deleted_at is null) and (not active);
create index users_of_environment_admins on users (environment_id, created_at, id)
  where (deleted_at is null) and (role = 'admin');
create index users_of_environment_by_external_id on users (environment_id, external_id) where external_id is not null;
-- For the filters of provisioning clients. They find provisioned users only.
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
-- Users are also found by the beginning of the first name, which the last one follows, of the last name, and of the digits
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
-- Of users who were deleted, who can be restored for thirty days.
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
  -- Counts rotations: a refresh token names its generation, so any older one is known for a replay.
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
  -- The trusted device that stood for the second factor of a session.
  trusted_device_id uuid,
  user_epoch integer default 0 not null,
  organization_epoch integer default 0 not null,
  -- The SAML or OIDC connection that a session came from. Null: another sign-in method, or a session of the release before. The
  -- id stays when the connection is deleted, so there is no foreign key.
  connection_id uuid,
  constraint sessions_aal_check check (aal in ('aal1', 'aal2')),
  primary key (directory_id, id)
) with (fillfactor='85');
create index sessions_by_user on sessions (directory_id, user_id, created_at) where revoked_at is null;
create index sessions_by_age on sessions (directory_id, created_at, id) where revoked_at is null;
create index sessions_of_environment_by_age on sessions (environment_id, created_at, id) where revoked_at is null;
create index sessions_by_expiry on sessions (expires_at);

-- One-time passwords. `purpose` keeps the generator's codes and each sign-in flow apart: a code made for one
-- never passes in another.
create table otps (
  directory_id uuid not null,
  id uuid not null,
  purpose text not null,
  -- Null on a decoy, which is made for an unknown address, so that known and unknown addresses take the same path.
  user_id uuid,
  -- The caller's session_id (generator), of which only the newest code counts.
  session_ref text,
  -- Keyed hash of the normalised address, of which only the newest code counts.
  identity bytea,
  phrase_hash bytea,
  digit_hash bytea,
  attempts integer default 0 not null,
  max_attempts integer not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- A sign-up code for an address of no user, who is made when it is redeemed.
  signs_up boolean default false not null,
  -- The phone that a sign-in code was sent to. It must still belong to the user when the code is used. A decoy has a made-up id.
  -- Null: the code was mailed.
  phone_id uuid,
  -- A code of which no message left voids no older one, so that the newest of the others counts. It stands before the time
  -- in the indexes: that one is found at once however many have been withheld since.
  withheld boolean default false not null,
  -- The language that the person chose at the sign-up.
  locale text,
  primary key (directory_id, id)
) with (fillfactor='70');
create index otps_by_age on otps (created_at);
-- Codes that were guessed at, so that failures are counted however many codes were made since.
create index otps_failed_by_session on otps (directory_id, session_ref, created_at)
  where (attempts > 0) and (session_ref is not null);
create index otps_failed_by_identity on otps (directory_id, identity, purpose, created_at)
  where (attempts > 0) and (identity is not null);
create index otps_of_session on otps (directory_id, session_ref, withheld, created_at, id) where session_ref is not null;
create index otps_of_identity on otps (directory_id, identity, purpose, withheld, created_at, id) where identity is not null;

-- Settings: one row per directory that differs from the defaults, holding only what was set there.
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

-- Passwords, one per user. `hash` is a PHC string of argon2id over the peppered password; an imported hash keeps its
-- own format until its user signs in.
create table password_credentials (
  directory_id uuid not null,
  user_id uuid not null,
  hash text not null,
  format text not null,
  must_change boolean default false not null,
  -- Another with every password; an upgraded hash of the same one keeps it.
  revision uuid default gen_random_uuid() not null,
  created_at timestamptz default clock_now() not null,
  updated_at timestamptz default clock_now() not null,
  -- A digest of the password's revision, its directory and the address of its user, where an administrator or a backend set it: the
  -- first proof of that mailbox leaves it. Another password, address or directory does not fit.
  manager_mark bytea,
  constraint password_credentials_format_check check (format in ('argon2id', 'imported-argon2', 'bcrypt', 'scrypt', 'firebase-scrypt', 'pbkdf2', 'ssha')),
  primary key (directory_id, user_id),
  constraint password_credentials_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Passwords that were, for `password_history`.
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

-- Secrets that are mailed as links. A link serves one purpose for one user, once.
create table links (
  directory_id uuid not null,
  id uuid not null,
  purpose text not null,
  -- Empty on a decoy, and on a sign-up link whose user is made when it is redeemed.
  user_id uuid,
  -- Keyed hash of the normalised address that it was mailed to.
  identity bytea not null,
  token_hash bytea not null,
  -- What redeeming it makes: the profile of a sign-up.
  details jsonb default '{}' not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- When it was withdrawn; or, past its expiry, when that was announced.
  closed_at timestamptz,
  -- When a link was used or closed is no column of an index any more, so that using one changes no index. What the index of
  -- open invitations needs has a column that no other link's changes touch. Kept by a trigger, as a generated column would
  -- have every row written anew, under a lock.
  open_invite_until timestamptz,
  -- A link's token ends in a tag that only this service can make. Links from before have none, and so have those of a process
  -- of the release before while it still runs; they work until they expire. Once none is left, no text without a tag is
  -- looked up. Adding a column with a constant default writes no row anew.
  tagged boolean default false not null,
  -- The environment of an invitation, so that an index lists those of a whole environment. The trigger writes it for the release
  -- before, too.
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

-- Wrong passwords in a row, counted before they are looked at: of an address (network '') and of an address from one
-- network. Unknown addresses are counted in the same way.
create table lockouts (
  directory_id uuid not null,
  identity bytea not null,
  network text not null,
  failures integer not null,
  -- Since the last success, however long ago they were.
  consecutive integer default 1 not null,
  -- Locks since the last success; each lasts twice as long as the one before.
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

-- Text messages waiting to leave, sealed as mails are.
create table sms_outbox (
  directory_id uuid not null,
  id uuid not null,
  kind text not null,
  message_sealed text not null,
  attempts integer default 0 not null,
  last_error text,
  useful_until timestamptz not null,
  -- Set in development, where a message without a provider stays to be read at /dev/mail.
  kept boolean default false not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, id),
  constraint sms_outbox_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index sms_outbox_by_expiry on sms_outbox (useful_until);

-- One row per directory that has set its policy.
create table mfa_policies (
  directory_id uuid not null,
  require_mfa boolean not null,
  grace_period_days integer not null,
  allowed_methods text[] not null,
  enforce_for_roles text[] not null,
  -- When it first required a second factor. Stays when it ceases to, so that switching off and on renews no grace.
  required_since timestamptz,
  version integer default 1 not null,
  updated_at timestamptz default clock_now() not null,
  -- The fields that a directory leaves to the policy of the account-level directory of its environment. The release
  -- before this one takes what is stored in their columns.
  inherited text[] default '{}' not null,
  primary key (directory_id),
  constraint mfa_policies_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Until when a user may sign in without the factor that the policy requires. Written once, never changed.
create table mfa_grace (
  directory_id uuid not null,
  user_id uuid not null,
  ends_at timestamptz not null,
  created_at timestamptz default clock_now() not null,
  -- When a grace period of a member of the team began: when they got the first role that the policy covers. A role that is
  -- given later, after that one is gone, has its own period. Null for users, and for periods of an earlier release, in whose
  -- place their end is compared.
  began_at timestamptz,
  primary key (directory_id, user_id),
  constraint mfa_grace_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Authenticator apps, one per user: pending until the first code has confirmed it.
create table totp_enrollments (
  directory_id uuid not null,
  user_id uuid not null,
  id uuid not null,
  secret_sealed text not null,
  attempts integer default 0 not null,
  -- The time step of the last code that passed: no code passes twice (RFC 6238 §5.2).
  last_step bigint default 0 not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz,
  confirmed_at timestamptz,
  constraint totp_enrollments_check check ((confirmed_at is null) = (expires_at is not null)),
  primary key (directory_id, user_id),
  constraint totp_enrollments_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index totp_enrollments_by_expiry on totp_enrollments (expires_at) where expires_at is not null;

-- A row per unused code, found by its first character, so that a try costs one hash.
create table backup_codes (
  directory_id uuid not null,
  user_id uuid not null,
  slot text not null,
  hash text not null,
  created_at timestamptz default clock_now() not null,
  primary key (directory_id, user_id, slot),
  constraint backup_codes_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Phones that take codes as a second factor, one per user: pending until the first code has confirmed it.
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
  -- The session that asked at its refresh, which ends when the challenge is passed.
  session_id uuid,
  -- Keyed hash of the end user's network, where the first factor told it.
  network_hash bytea,
  -- The user has no factor yet and enrolls one to pass.
  enrollment boolean not null,
  sms_code_hash bytea,
  attempts integer default 0 not null,
  created_at timestamptz default clock_now() not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The key under which wrong codes of the user are counted, so that one statement finds the challenge and counts there.
  -- Null for challenges of an earlier release, which live five minutes: their sign-ins begin again.
  failure_identity bytea,
  -- The password that a user has chosen in place of one that must change, until the second factor has been shown: its hash,
  -- as it will be stored.
  next_password_hash text,
  -- The user's epoch when the first factor of a challenge was proved: whatever has cut the user off since ends the challenge.
  -- Null for challenges of an earlier release, which live five minutes.
  user_epoch integer,
  primary key (directory_id, id)
);
create unique index mfa_challenges_by_token on mfa_challenges (directory_id, token_hash);
create index mfa_challenges_by_user on mfa_challenges (directory_id, user_id);
create index mfa_challenges_by_expiry on mfa_challenges (expires_at);

-- Devices that need no second factor for a while.
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

-- Passkeys (WebAuthn Level 3). `credential_id` is base64url, as browsers write it; `public_key` a COSE key.
create table passkeys (
  directory_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  credential_id text not null collate pg_catalog."C",
  public_key bytea not null,
  -- The signature counter of the authenticator; many keep none and stay at 0.
  counter bigint not null,
  transports text[] not null,
  device_type text not null,
  backed_up boolean not null,
  aaguid uuid not null,
  device_name text,
  -- A passkey works for the relying party alone that it was made for.
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

-- Challenges on their way to a browser. Each is good for one answer, right or wrong.
create table webauthn_ceremonies (
  directory_id uuid not null,
  id uuid not null,
  kind text not null,
  -- Null for an unknown address, for a user without a passkey, and if no address was given.
  user_id uuid,
  -- Keyed hash of the address that the sign-in is for.
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
  -- Whose origins a relying party's host lists goes by age: since when the directory has named what it names, also if that
  -- is nothing and it inherits.
  named_rp_id text,
  named_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint passkey_settings_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index passkey_settings_by_rp_id on passkey_settings (((settings ->> 'rp_id')));

-- Where the stream stood at a moment, so that a reader can begin some days back without a search.
create table event_marks (
  at timestamptz default clock_now() not null,
  epoch bigint not null,
  tx_id xid8 not null,
  primary key (at)
);

-- What is left to do after sessions have ended by the bound: their rows and events.
create table session_cut_offs (
  directory_id uuid not null,
  id uuid not null,
  -- Whose sessions ended; empty for all of the directory's organization.
  user_id uuid,
  -- Sessions of an earlier epoch ended.
  epoch integer not null,
  reason text not null,
  actor_type text not null,
  actor_id text,
  request_id text,
  ip_address text,
  user_agent text,
  ended_at timestamptz not null,
  -- From then on no sign-in is under way that has an earlier epoch of the organization.
  settles_at timestamptz not null,
  -- From where on sessions are looked at again once it has settled.
  looks_back_to timestamptz not null,
  -- How old the last session was that was looked at: older ones are done.
  reached_at timestamptz default '-infinity'::timestamptz not null,
  on_behalf_of jsonb,
  via jsonb,
  primary key (directory_id, id)
);
create index session_cut_offs_by_settling on session_cut_offs (settles_at);

-- Failures beyond those that are recorded one by one, until a job records how many there were.
create table event_counts (
  directory_id uuid not null,
  -- Of what is counted together: type, target and data. What has no target is spread over a few, so that requests at the
  -- same time do not wait for one row.
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

-- The domains of organizations. Everywhere, as keys are, since one owner is unique over all organizations of an environment.
create table domains (
  id uuid not null,
  directory_id uuid not null,
  environment_id uuid not null,
  organization_id uuid not null,
  -- In the ASCII form of IDNA, in lower case.
  domain text not null,
  -- Public: the organization puts it into the DNS.
  token text not null,
  status text default 'pending' not null,
  verified_at timestamptz,
  last_checked_at timestamptz,
  last_error text,
  -- Of a verified domain: since when the periodic checks have not found its record, and how often the DNS said so.
  failing_since timestamptz,
  failed_checks integer default 0 not null,
  -- Null unless verified.
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

-- Connections to the identity providers of organizations. `config` has what the protocol needs, but for the secret.
create table sso_connections (
  directory_id uuid not null,
  id uuid not null,
  -- Of the directory; lets an org-wide key list an environment by one index.
  environment_id uuid not null,
  name text not null,
  protocol text not null,
  status text default 'draft' not null,
  config jsonb default '{}' not null,
  oidc_client_secret_sealed text,
  -- The result of the last test.
  last_test jsonb,
  last_login_at timestamptz,
  -- When its metadata and certificates are looked at again, and how many days were left when it was last told that a
  -- certificate expires.
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
-- A provider names a connection by its id alone: where it fetches the service's metadata, and where it sends browsers
-- without having been asked to.
create index sso_connections_by_id on sso_connections (id);

-- What the service signs and decrypts with as a SAML service provider: pairs of each environment. Everywhere, as signing
-- keys.
create table sp_keys (
  environment_id uuid not null,
  id uuid not null,
  use text not null,
  -- `next` is published beside `current`, and `former` stays published, until every provider knows the new one.
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

-- Who a user is at a provider: the subject that an issuer names, by a connection or a social provider.
create table identities (
  directory_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  method text not null,
  -- The id of the connection, or the name of the provider.
  source text not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamptz default clock_now() not null,
  last_used_at timestamptz default clock_now() not null,
  -- Other ids of the person at the identity provider. A provisioning client that adds the person later finds the user by them. Existing rows have what they can tell; the next sign-in writes the rest.
  external_ids text[],
  -- In lower case.
  user_names text[],
  -- Those of `user_names` that the administrators of an identity provider assign: `upn` and the SAML NameID. A provisioning client
  -- finds users by them alone. The next migration fills it; the next sign-in writes the rest.
  principal_names text[],
  -- The addresses that an identity provider stated at the link and at the last sign-in, unless it denied them. While both are the
  -- same, a provisioning client that adds the person finds the user by it, whatever the user's own address is by then. Links of an
  -- earlier release have none.
  linked_address_norm text,
  address_norm text,
  -- The address and the assigned names as last stated, which stay while the provider states none: the person can leave them out.
  last_address_norm text,
  last_principal_names text[],
  sector text,
  constraint identities_method_check check (method in ('sso', 'social')),
  primary key (directory_id, id),
  constraint identities_directory_id_fkey foreign key (directory_id) references directories(id)
);
create unique index identities_by_subject on identities (directory_id, method, source, issuer, subject);
create index identities_by_user on identities (directory_id, user_id);
-- Without a list of pending entries, which every search would read.
create index identities_by_external_ids on identities using gin (external_ids) with (fastupdate=off);
create index identities_by_user_names on identities using gin (user_names) with (fastupdate=off);
create index identities_of_social_persons on identities (subject, issuer) where method = 'social';

-- Sign-ins under way at a provider. The browser brings back the state; nonce and verifier derive from it.
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

-- What a browser took to the application in place of tokens: its backend exchanges it for a session, once.
create table exchange_codes (
  directory_id uuid not null,
  id uuid not null,
  code_hash bytea not null,
  user_id uuid,
  auth_method text not null,
  -- The id of the connection, or the name of the provider.
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

-- Assertions that were accepted, until they expire: none is accepted twice.
create table saml_assertions (
  directory_id uuid not null,
  connection_id uuid not null,
  assertion_hash bytea not null,
  expires_at timestamptz not null,
  primary key (directory_id, connection_id, assertion_hash),
  constraint saml_assertions_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index saml_assertions_by_expiry on saml_assertions (expires_at);

-- What providers said at recent sign-ins, to be read by people. Sealed: it is about persons.
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

-- Social providers that were set, with the credentials that the directory has of its own.
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

-- By which identity a session began, and what its provider takes for a logout: sealed; null where it takes none.
create table federated_sessions (
  directory_id uuid not null,
  -- Of the session, which has the id of the challenge before it, if there was one.
  id uuid not null,
  user_id uuid not null,
  identity_id uuid not null,
  logout_sealed text,
  expires_at timestamptz not null,
  name_hash bytea,
  provider_session_hash bytea,
  -- When the identity provider wants the session to end (SAML core §2.7.2, SessionNotOnOrAfter; `session_expiry` of an ID
  -- token), from the sign-in to the session that comes of it. Null: no limit.
  session_ends_at timestamptz,
  primary key (directory_id, id),
  constraint federated_sessions_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index federated_sessions_by_user on federated_sessions (directory_id, user_id);
create index federated_sessions_by_expiry on federated_sessions (expires_at);
create index federated_sessions_by_name on federated_sessions (directory_id, name_hash) where name_hash is not null;
create index federated_sessions_by_provider_session on federated_sessions (directory_id, provider_session_hash)
  where provider_session_hash is not null;

-- Logout tokens of OpenID providers that were accepted, until they expire: none is accepted twice.
create table logout_tokens (
  directory_id uuid not null,
  connection_id uuid not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  primary key (directory_id, connection_id, token_hash),
  constraint logout_tokens_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index logout_tokens_by_expiry on logout_tokens (expires_at);

-- Provisioning by SCIM (RFC 7644), of each organization: whether it is on, and what it does.
create table scim_configs (
  directory_id uuid not null,
  enabled boolean default false not null,
  -- Whose group_role_mapping the provisioned groups give roles by.
  sso_connection_id uuid,
  on_deprovision text default 'deactivate' not null,
  last_request_at timestamptz,
  updated_at timestamptz default clock_now() not null,
  constraint scim_configs_on_deprovision_check check (on_deprovision in ('deactivate', 'delete')),
  primary key (directory_id),
  constraint scim_configs_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Bearer tokens of provisioning clients, found without a directory: which one it is only the row says. Everywhere, as API
-- keys.
create table scim_tokens (
  id uuid not null,
  directory_id uuid not null,
  token_hash bytea not null,
  -- The last characters, to tell tokens apart.
  hint text not null,
  -- Set once another has taken its place.
  expires_at timestamptz,
  created_at timestamptz default clock_now() not null,
  -- When a token ends by itself, beside the end that another token gives it, and how many days before that the last event was.
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

-- Users of a provisioning client, with its ids and its data of them. A row is kept for thirty days after the client deletes the user,
-- so that it can restore the same user.
create table scim_users (
  directory_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  user_name_folded text generated always as (lower(user_name)) stored not null collate pg_catalog."C",
  external_id text,
  -- In the spelling of the schemas, without what the service itself has.
  resource jsonb not null,
  created_at timestamptz default clock_now() not null,
  deleted_at timestamptz,
  -- Whether the provisioning client deleted the user, rather than a caller of the API. A new user of the same userName then has the
  -- lock of the deleted one.
  deleted_by_client boolean default false not null,
  -- By which subjects of identity providers the user of a deleted resource signed in, each as connection, issuer and subject on lines of
  -- their own. The provider opens no other user for them while the client may bring the user back.
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

-- Their addresses, to be searched.
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
  -- Counts changes of members too, which need not be read for it.
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

-- What provisioning clients asked, and what they were answered. Sealed: it is about persons.
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

-- Where events are sent to, signed as Standard Webhooks 1.0 says.
create table webhooks (
  directory_id uuid not null,
  environment_id uuid not null,
  id uuid not null,
  name text not null,
  url text not null,
  -- Types, and beginnings of types such as user.*
  events text[] not null,
  enabled boolean default true not null,
  disabled_reason text,
  secret_sealed text not null,
  secret_hint text not null,
  -- The one before, with which deliveries are signed too until then.
  previous_secret_sealed text,
  previous_until timestamptz,
  -- Only what happens from then on is sent.
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

-- What each endpoint has to do, and how it fares: apart from its record, since this changes with every delivery.
create table webhook_queues (
  directory_id uuid not null,
  webhook_id uuid not null,
  -- When something is due; null while nothing is.
  wake_at timestamptz,
  -- Rises with each new event, so that a worker that releases the queue sees whether it has missed one.
  wakes bigint default 0 not null,
  -- One process at a time works on a queue; that of one that died is free again when its lease is over.
  holder uuid,
  leased_until timestamptz default clock_now() not null,
  -- Slow or failing: has places of its own, so that it takes none from those that are well.
  troubled boolean default false not null,
  consecutive_failures integer default 0 not null,
  failing_since timestamptz,
  last_failure_at timestamptz,
  last_delivery_at timestamptz,
  primary key (directory_id, webhook_id),
  constraint webhook_queues_directory_id_webhook_id_fkey foreign key (directory_id, webhook_id) references webhooks(directory_id, id) on delete cascade
);
create index webhook_queues_due on webhook_queues (troubled, wake_at) where wake_at is not null;

-- One event for one endpoint, with what became of it. The event itself is not repeated here.
create table webhook_deliveries (
  directory_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event_directory_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text default 'pending' not null,
  -- How often it was sent, and how often since it was last put in: the place in the schedule.
  attempt integer default 0 not null,
  tries integer default 0 not null,
  due_at timestamptz,
  -- Of the last attempt.
  url text,
  request_headers jsonb,
  response_status integer,
  response_body text,
  error text,
  duration_ms integer,
  -- The last attempts, the newest last.
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

-- Up to where the events of an environment were handed to its endpoints.
create table webhook_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  primary key (environment_id),
  constraint webhook_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- What makes a change of an old event show: digests of the events of each directory, in the order of the stream, in blocks
-- that are chained by keyed hashes. A job appends them; nothing is added to what records events.
create table audit_blocks (
  directory_id uuid not null,
  -- Counted from 1 in each directory.
  seq integer not null,
  environment_id uuid not null,
  -- Its last event: where it ends in the stream.
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  -- When its events happened.
  first_at timestamptz not null,
  last_at timestamptz not null,
  event_ids uuid[] not null,
  -- Of each event as many bytes: its digests.
  digests bytea not null,
  -- Over all of that and the hash of the block before.
  hash bytea not null,
  -- Without a default: a process of the release before, whose digests cover fewer columns of an event, adds no block.
  digest_version smallint not null,
  primary key (directory_id, seq)
);
-- Where in the stream a moment is, roughly, however long ago: the marks reach back a month.
create index audit_blocks_of_environment on audit_blocks (environment_id, last_at);
create index audit_blocks_of_directory on audit_blocks (directory_id, last_at);

-- Where the chain of a directory begins and ends.
create table audit_heads (
  directory_id uuid not null,
  seq integer not null,
  hash bytea not null,
  -- The last block that went with its events when their retention was over, and a keyed hash that says so.
  anchor_seq integer default 0 not null,
  anchor_hash bytea,
  anchor_seal bytea,
  constraint audit_heads_check check (((anchor_seq = 0) = (anchor_hash is null)) and ((anchor_hash is null) = (anchor_seal is null))),
  primary key (directory_id)
);

-- Up to where the events of an environment are chained.
create table audit_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  primary key (environment_id),
  constraint audit_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- How long events are kept; null for as long as the deployment says.
create table audit_settings (
  directory_id uuid not null,
  settings jsonb default '{}' not null,
  updated_at timestamptz default clock_now() not null,
  primary key (directory_id),
  constraint audit_settings_directory_id_fkey foreign key (directory_id) references directories(id)
);

-- Roles that organizations make themselves.
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

-- Who has them, and what gave them.
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

-- Impersonation sessions, until their end is recorded.
create table impersonations (
  directory_id uuid not null,
  -- Of the session.
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

-- From where people sign in: a keyed hash of what their program is and of the network, so that the first sign-in from
-- anywhere else can be told them.
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

-- Up to where the sign-ins of an environment were looked at.
create table device_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  primary key (environment_id),
  constraint device_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- Whether the deployment's own applications at social providers are registered with the redirect URI that all providers share.
-- Deployments of earlier releases have accounts by now and keep it; WATCHWORD_SOCIAL_CALLBACK overrides this.
create table social_redirects (
  is_only boolean default true not null,
  is_shared boolean not null,
  constraint social_redirects_is_only_check check (is_only),
  primary key (is_only)
);

-- The roles that each SSO connection gives a user by groups: `users.sso_role` and the assignments of source `sso` are
-- their union.
create table sso_roles (
  directory_id uuid not null,
  user_id uuid not null,
  connection_id uuid not null,
  -- The mapped groups that the user was in at the last sign-in by the connection. Null: recorded by an earlier release.
  groups text[],
  is_admin boolean not null,
  role_ids uuid[] not null,
  primary key (directory_id, user_id, connection_id),
  constraint sso_roles_directory_id_fkey foreign key (directory_id) references directories(id)
);
create index sso_roles_by_connection on sso_roles (directory_id, connection_id);

-- What else changes of the representation of SCIM resources: the members of a group that leave or are renamed, and the
-- groups of a user. Tables of their own, whose rows are locked last, so that these changes lock neither groups nor users.
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

-- Roles that members of the team have lost, in the account and on rosters of production organizations. A member who gets
-- a role back within 30 days continues the grace period of the second factor instead of beginning a new one. By address,
-- since a removed person who is invited again is another row of members and another user. A role that is lost again joins
-- its row, unless 30 days lie between: a person has few rows, however often their role changes.
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

-- Up to where changes of users of an environment were counted, and the time of that.
create table user_count_cursors (
  environment_id uuid not null,
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  checked_at timestamptz not null,
  primary key (environment_id),
  constraint user_count_cursors_environment_id_fkey foreign key (environment_id) references environments(id)
);

-- What the deployment knows of its database: which one it is, whether outgoing messages wait, and when it was recovered.
create table deployment (
  singleton boolean default true not null,
  -- The database in which the service started last; null until the first start of this release.
  system_identifier text,
  database_oid oid,
  -- Since when mails, text messages and webhooks wait for the operator, and why; null while they are sent.
  outgoing_held_since timestamptz,
  outgoing_held_because text,
  -- The latest run of `watchword recover`.
  recovered_at timestamptz,
  constraint deployment_check check ((outgoing_held_since is null) = (outgoing_held_because is null)),
  constraint deployment_outgoing_held_because_check check (outgoing_held_because in ('copied', 'recovered', 'requested')),
  constraint deployment_singleton_check check (singleton),
  primary key (singleton)
);

-- The key by which the identity provider of development signs (/dev/idp). Empty in production.
create table dev_idp_keys (
  -- One row.
  id smallint default 1 not null,
  certificate text not null,
  private_key_sealed text not null,
  constraint dev_idp_keys_id_check check (id = 1),
  primary key (id)
);

-- One row for each address of a directory that mails bounced from, or whose owner complained of one. Rows of the account level
-- hold for every organization of the environment. reason null: the address is not suppressed.
create table bounced_addresses (
  directory_id uuid not null,
  environment_id uuid not null,
  id uuid not null,
  email_norm text not null,
  -- The latest soft bounces, at most three.
  soft_bounced_at timestamptz[] default '{}'::timestamptz[] not null,
  reason text,
  -- Of the bounce that decided (RFC 3463).
  status text,
  source text,
  suppressed_at timestamptz,
  -- Null: until it is cleared.
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

-- Reports that were counted: one that is sent again counts once.
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

-- The identifier that initdb gives a cluster: standbys share it. Null where the role or the provider does not allow it.
create function database_system_identifier() returns text language plpgsql stable as $$
begin
  return (select system_identifier from pg_control_system());
exception when insufficient_privilege or feature_not_supported or object_not_in_prerequisite_state then
  return null;
end $$;

-- Whether this database is another than the one in which the service started last: restored from a dump, or copied.
create function database_was_copied() returns boolean language sql stable as $$
  select coalesce(system_identifier <> database_system_identifier(), false)
    or coalesce(database_oid <> (select oid from pg_database where datname = current_database()), false)
  from deployment
$$;

-- This database in this cluster on its present timeline, which the control file shows only after a checkpoint; null where
-- we may not know.
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

-- Rows of the release before, while it still runs beside this one.
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

-- Personal parts of an event can be erased, to fixed values only. `audit verify` accepts that only where a sealed event
-- covers it.
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

-- Before its first analysis the planner takes hardly any user for one that is not deleted, so that any index of those looks as if
-- it led to one row.
do $$
begin
  if to_regproc('pg_catalog.pg_restore_attribute_stats') is not null
    and not exists (select from pg_extension where extname = 'citus') then
    perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'users', 'attname', 'deleted_at',
      'inherited', false, 'version', current_setting('server_version_num')::int,
      'null_frac', 1::real, 'avg_width', 8, 'n_distinct', 0::real);
  end if;
end $$;

-- The records of which there is one.
insert into event_stream (epoch) values (1);
insert into social_redirects (is_shared) values (false);
insert into deployment default values;
