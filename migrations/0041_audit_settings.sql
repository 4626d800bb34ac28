-- How long events are kept; null for as long as the deployment says.
create table audit_settings (
  directory_id uuid primary key references directories (id),
  settings jsonb not null default '{}',
  updated_at timestamptz not null default clock_now()
);

-- Where in the stream a moment is, roughly, however long ago: the marks reach back a month.
create index audit_blocks_of_environment on audit_blocks (environment_id, last_at);
create index audit_blocks_of_directory on audit_blocks (directory_id, last_at);
