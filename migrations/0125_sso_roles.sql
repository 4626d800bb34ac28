-- The roles that each SSO connection gives a user by groups: `users.sso_role` and the assignments of source `sso` are
-- their union.
create table sso_roles (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  connection_id uuid not null,
  -- The mapped groups that the user was in at the last sign-in by the connection. Null: recorded by an earlier release.
  groups text[],
  is_admin boolean not null,
  role_ids uuid[] not null,
  primary key (directory_id, user_id, connection_id)
);
create index sso_roles_by_connection on sso_roles (directory_id, connection_id);
select expect_many_rows('sso_roles');

-- Roles given before belong to the active connection with a mapping that the user signed in by last.
insert into sso_roles (directory_id, user_id, connection_id, is_admin, role_ids)
select distinct on (u.directory_id, u.id) u.directory_id, u.id, c.id, coalesce(u.sso_role = 'admin', false),
  array(select a.role_id from role_assignments a
    where a.directory_id = u.directory_id and a.user_id = u.id and a.source = 'sso' order by a.role_id)
from users u
  join identities i on i.directory_id = u.directory_id and i.user_id = u.id and i.method = 'sso'
  join sso_connections c on c.directory_id = i.directory_id and c.id::text = i.source
where u.deleted_at is null and c.status = 'active' and c.config -> 'group_role_mapping' <> '{}'::jsonb
  and (u.sso_role = 'admin' or exists (
    select from role_assignments a where a.directory_id = u.directory_id and a.user_id = u.id and a.source = 'sso'))
order by u.directory_id, u.id, i.last_used_at desc nulls last, i.created_at desc;

-- Roles without such a connection end.
delete from role_assignments a where a.source = 'sso' and not exists (
  select from sso_roles s where s.directory_id = a.directory_id and s.user_id = a.user_id);
update users u set sso_role = null, version = version + 1, updated_at = clock_now(),
  role = case when 'admin' in (own_role, scim_role) then 'admin' else 'member' end,
  role_since = case when role = 'admin' and 'admin' in (own_role, scim_role) then role_since else clock_now() end
where u.sso_role = 'admin' and not exists (
  select from sso_roles s where s.directory_id = u.directory_id and s.user_id = u.id);
update users u set version = version + 1, updated_at = clock_now(), role_ids = array(
  select distinct a.role_id from role_assignments a where a.directory_id = u.directory_id and a.user_id = u.id
  order by a.role_id)
where u.role_ids <> array(
  select distinct a.role_id from role_assignments a where a.directory_id = u.directory_id and a.user_id = u.id
  order by a.role_id);
