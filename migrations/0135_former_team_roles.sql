-- Roles that members of the team have lost, in the account and on rosters of production organizations. A member who gets
-- a role back within 30 days continues the grace period of the second factor instead of beginning a new one. By address,
-- since a removed person who is invited again is another row of members and another user. A role that is lost again joins
-- its row, unless 30 days lie between: a person has few rows, however often their role changes.
create table former_team_roles (
  account_id uuid not null references accounts (id),
  email_norm text collate "C" not null,
  role text not null check (role in ('owner', 'admin', 'member', 'developer')),
  since timestamptz not null,
  until timestamptz not null,
  primary key (account_id, email_norm, role, until)
);
create index on former_team_roles (until);
