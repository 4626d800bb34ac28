-- Events become a stream that can be read in the order of their commits, and tell where and from where they came.

create table event_stream (
  singleton boolean primary key default true check (singleton),
  -- Rises whenever the database moves to another cluster, or back in time: transaction ids begin anew there.
  epoch integer not null,
  cluster text
);
insert into event_stream (epoch) values (1);

-- Where the stream stood at a moment, so that a reader can begin some days back without a search.
create table event_marks (
  at timestamptz primary key default clock_now(),
  epoch integer not null,
  tx_id xid8 not null
);

alter table events
  add column account_id uuid,
  add column environment_id uuid,
  add column ip_address text,
  add column user_agent text,
  add column epoch integer not null default 1,
  -- A reader that stops below the oldest transaction under way skips none that commits late.
  add column tx_id xid8 not null default pg_current_xact_id();

alter table events disable trigger events_append_only;
update events set account_id = directories.account_id, environment_id = directories.environment_id
from directories where directories.id = events.directory_id;
update events set data = events.data || jsonb_build_object('user_id', sessions.auth_account_id)
from sessions
where events.type = 'session.revoked' and sessions.directory_id = events.directory_id
  and sessions.id = (events.data ->> 'id')::uuid;
alter table events enable trigger events_append_only;

-- Rows of the release before, while it still runs beside this one.
create function place_event() returns trigger language plpgsql as $$
begin
  select account_id, environment_id into new.account_id, new.environment_id
  from directories where id = new.directory_id;
  return new;
end $$;
create trigger events_placed before insert on events
  for each row when (new.environment_id is null) execute function place_event();

alter table events
  alter column account_id set not null,
  alter column environment_id set not null;

create index events_stream on events (environment_id, epoch, tx_id, id) include (directory_id, type);
create index events_stream_of_directory on events (directory_id, epoch, tx_id, id) include (type);
drop index events_by_type;
