-- Since when a member of the team has the role: from then on the grace period for enrolling a second factor counts. For
-- roles of an earlier release it counts from this migration.
alter table members add column role_since timestamptz not null default clock_now();
