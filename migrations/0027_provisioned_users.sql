-- Users whom a provisioning client keeps: what it calls them, and all that it said of them. Kept for thirty days after
-- the client has deleted one, so that the same person can come back.
create table scim_users (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  user_name text not null,
  user_name_folded text collate "C" not null generated always as (lower(user_name)) stored,
  external_id text,
  -- In the spelling of the schemas, without what the service itself has.
  resource jsonb not null,
  created_at timestamptz not null default clock_now(),
  deleted_at timestamptz,
  primary key (directory_id, user_id)
);
create unique index scim_users_by_user_name on scim_users (directory_id, user_name_folded) where deleted_at is null;
create unique index scim_users_by_external_id on scim_users (directory_id, external_id)
  where deleted_at is null and external_id is not null;
create index scim_users_live on scim_users (directory_id, user_id) where deleted_at is null;
create index scim_users_gone on scim_users (directory_id, external_id) where deleted_at is not null;
create index scim_users_by_id_text on scim_users (directory_id, (user_id::text)) where deleted_at is null;
create index scim_users_by_deletion on scim_users (deleted_at) where deleted_at is not null;

-- Their addresses, to be searched.
create table scim_user_emails (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  n integer not null,
  value text not null,
  value_folded text collate "C" not null generated always as (lower(value)) stored,
  type text,
  is_primary boolean not null,
  primary key (directory_id, user_id, n),
  foreign key (directory_id, user_id) references scim_users (directory_id, user_id) on delete cascade
);
create index scim_user_emails_by_value on scim_user_emails (directory_id, value_folded);

-- What filters of provisioning clients may name; of nobody else.
create index users_provisioned_by_name on users (directory_id, lower(display_name) collate "C")
  where scim_managed and deleted_at is null;
create index users_provisioned_by_first_name on users (directory_id, lower(first_name) collate "C")
  where scim_managed and deleted_at is null;
create index users_provisioned_by_last_name on users (directory_id, lower(last_name) collate "C")
  where scim_managed and deleted_at is null;
create index users_provisioned_by_title on users (directory_id, lower(job_title) collate "C")
  where scim_managed and deleted_at is null;
create index users_provisioned_by_department on users (directory_id, lower(department) collate "C")
  where scim_managed and deleted_at is null;
create index users_provisioned_by_change on users (directory_id, updated_at)
  where scim_managed and deleted_at is null;
create index users_provisioned_by_age on users (directory_id, created_at)
  where scim_managed and deleted_at is null;
create index users_provisioned_by_state on users (directory_id, active, id)
  where scim_managed and deleted_at is null;
