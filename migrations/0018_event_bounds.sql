-- Failures beyond those that are recorded one by one, until a job records how many there were.
create table event_counts (
  directory_id uuid not null,
  -- Of what is counted together: type, target and data. What has no target is spread over a few, so that requests at the
  -- same time do not wait for one row.
  key bytea not null,
  type text not null,
  target_type text,
  target_id text,
  data jsonb not null,
  count integer not null default 1,
  first_at timestamptz not null default clock_now(),
  last_at timestamptz not null default clock_now(),
  primary key (directory_id, key)
);

-- Events have a retention, which is longer than the stream reaches back.
create or replace function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.created_at < clock_now() - interval '35 days' then
    return old;
  end if;
  raise exception 'events are append-only';
end $$;
