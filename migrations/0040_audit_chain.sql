-- What makes a change of an old event show: digests of the events of each directory, in the order of the stream, in blocks
-- that are chained by keyed hashes. A job appends them; nothing is added to what records events.
create table audit_blocks (
  directory_id uuid not null,
  -- Counted from 1 in each directory.
  seq integer not null,
  environment_id uuid not null,
  -- Its last event: where it ends in the stream.
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null,
  -- When its events happened.
  first_at timestamptz not null,
  last_at timestamptz not null,
  event_ids uuid[] not null,
  -- Of each event as many bytes: its digests.
  digests bytea not null,
  -- Over all of that and the hash of the block before.
  hash bytea not null,
  primary key (directory_id, seq)
);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.last_at < clock_now() - interval '35 days' then
    return old;
  end if;
  raise exception 'audit blocks are append-only';
end $$;
create trigger audit_blocks_append_only before update or delete on audit_blocks
  for each row execute function refuse_audit_change();

-- Where the chain of a directory begins and ends.
create table audit_heads (
  directory_id uuid primary key,
  seq integer not null,
  hash bytea not null,
  -- The last block that went with its events when their retention was over, and a keyed hash that says so.
  anchor_seq integer not null default 0,
  anchor_hash bytea,
  anchor_seal bytea,
  check ((anchor_seq = 0) = (anchor_hash is null) and (anchor_hash is null) = (anchor_seal is null))
);

-- Up to where the events of an environment are chained.
create table audit_cursors (
  environment_id uuid primary key references environments (id),
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null
);
