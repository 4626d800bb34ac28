-- What else changes of the representation of SCIM resources: the members of a group that leave or are renamed, and the
-- groups of a user. Tables of their own, whose rows are locked last, so that these changes lock neither groups nor users.
create table scim_group_versions (
  directory_id uuid not null references directories (id),
  group_id uuid not null,
  version integer not null,
  changed_at timestamptz not null,
  primary key (directory_id, group_id)
);
create table scim_user_versions (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  version integer not null,
  changed_at timestamptz not null,
  primary key (directory_id, user_id)
);
select expect_many_rows('scim_group_versions');
select expect_many_rows('scim_user_versions');
