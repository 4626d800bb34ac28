-- Roles that organizations make themselves.
create table roles (
  directory_id uuid not null references directories (id),
  id uuid not null,
  slug text collate "C" not null,
  name text not null,
  name_folded text collate "C" not null generated always as (lower(name)) stored,
  description text,
  permissions text[] not null,
  version integer not null default 1,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create unique index roles_by_slug on roles (directory_id, slug);
create unique index roles_by_name on roles (directory_id, name_folded);

-- Who has them, and what gave them.
create table role_assignments (
  directory_id uuid not null references directories (id),
  id uuid not null,
  user_id uuid not null,
  role_id uuid not null,
  source text not null check (source in ('manual', 'sso', 'scim')),
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, user_id, role_id, source)
);
create index role_assignments_by_role on role_assignments (directory_id, role_id);
create index role_assignments_by_age on role_assignments (directory_id, created_at, id);

create table member_roles (
  directory_id uuid not null references directories (id),
  id uuid not null,
  membership_id uuid not null references members (id) on delete cascade,
  role_id uuid not null,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, membership_id, role_id)
);
create index member_roles_by_role on member_roles (directory_id, role_id);
create index member_roles_by_membership on member_roles (membership_id);

-- The roles assigned to a user, whatever gave them: sums up role_assignments, so that a sign-in reads no more than the user.
alter table users add column role_ids uuid[] not null default '{}';
