-- From where people sign in: a keyed hash of what their program is and of the network, so that the first sign-in from
-- anywhere else can be told them.
create table known_devices (
  directory_id uuid not null references directories (id),
  user_id uuid not null,
  device_hash bytea not null,
  -- The first of a user stays as long as the user, so that whoever has been away for long is still told of another.
  is_first boolean not null,
  first_seen_at timestamptz not null,
  seen_at timestamptz not null,
  primary key (directory_id, user_id, device_hash)
);
create index known_devices_by_age on known_devices (seen_at) where not is_first;

-- Up to where the sign-ins of an environment were looked at.
create table device_cursors (
  environment_id uuid primary key references environments (id),
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null
);
-- Of environments that are there already, from now on: nobody is told of what was before.
insert into device_cursors (environment_id, epoch, tx_id, event_id)
select environments.id, event_stream.epoch, pg_snapshot_xmin(pg_current_snapshot()),
  '00000000-0000-0000-0000-000000000000'::uuid
from environments cross join event_stream;
