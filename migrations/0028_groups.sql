-- Groups of provisioning clients.
create table scim_groups (
  directory_id uuid not null references directories (id),
  id uuid not null,
  display_name text not null,
  display_name_folded text collate "C" not null generated always as (lower(display_name)) stored,
  external_id text,
  -- What the client said besides.
  resource jsonb not null,
  -- Counts changes of members too, which need not be read for it.
  version integer not null default 1,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create unique index scim_groups_by_name on scim_groups (directory_id, display_name_folded);
create unique index scim_groups_by_external_id on scim_groups (directory_id, external_id) where external_id is not null;
create index scim_groups_by_id_text on scim_groups (directory_id, (id::text));
create index scim_groups_by_change on scim_groups (directory_id, updated_at);
create index scim_groups_by_age on scim_groups (directory_id, created_at);

create table scim_group_members (
  directory_id uuid not null references directories (id),
  group_id uuid not null,
  user_id uuid not null,
  primary key (directory_id, group_id, user_id)
);
create index scim_group_members_by_user on scim_group_members (directory_id, user_id);
create index scim_group_members_by_text on scim_group_members (directory_id, (user_id::text));

-- Groups within groups.
create table scim_group_groups (
  directory_id uuid not null references directories (id),
  group_id uuid not null,
  member_id uuid not null,
  primary key (directory_id, group_id, member_id),
  foreign key (directory_id, group_id) references scim_groups (directory_id, id) on delete cascade,
  foreign key (directory_id, member_id) references scim_groups (directory_id, id) on delete cascade
);
create index scim_group_groups_by_member on scim_group_groups (directory_id, member_id);
create index scim_group_groups_by_text on scim_group_groups (directory_id, (member_id::text));

-- The role is the highest of what somebody gave by hand, what the groups of the last sign-in gave, and what provisioned
-- groups give.
alter table users
  add column own_role text not null default 'member' check (own_role in ('admin', 'member')),
  add column sso_role text check (sso_role in ('admin', 'member')),
  add column scim_role text check (scim_role in ('admin', 'member'));
update users set own_role = role
  where role <> 'member' and not exists (
    select from identities i where i.directory_id = users.directory_id and i.user_id = users.id and i.method = 'sso');
update users set sso_role = role where role <> own_role;
