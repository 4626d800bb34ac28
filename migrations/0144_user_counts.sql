-- How many users a directory has, kept for those that have too many to count at each request: null for all others.
alter table directories add column user_count integer;

-- Up to where changes of users of an environment were counted, and the time of that.
create table user_count_cursors (
  environment_id uuid primary key references environments (id),
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  checked_at timestamptz not null
);
-- Of environments that are there already, from now on: the next migration counts what was before.
insert into user_count_cursors (environment_id, epoch, tx_id, event_id, checked_at)
select environments.id, event_stream.epoch, pg_snapshot_xmin(pg_current_snapshot()),
  '00000000-0000-0000-0000-000000000000'::uuid, clock_now()
from environments cross join event_stream;
