-- What provisioning clients asked, and what they were answered. Sealed: it is about persons.
create table scim_logs (
  directory_id uuid not null references directories (id),
  id uuid not null,
  method text not null,
  route text not null,
  status integer not null,
  code text,
  said_sealed text not null,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create index scim_logs_by_age on scim_logs (directory_id, created_at, id);
create index scim_logs_by_end on scim_logs (created_at);
