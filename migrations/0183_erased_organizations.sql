-- An organization whose erasure was requested, and what is left of one that was erased.
alter table organizations
  -- When people, credentials and personal data go. Null: no erasure was requested.
  add column erase_at timestamptz,
  -- A keyed hash of the schedule. Without it the service erases nothing, so write access to the database is not enough.
  add column erase_seal bytea,
  -- When the erasure began. From then on the organization does not exist for any caller, and cannot be restored.
  add column erased_at timestamptz,
  -- 0: not begun. 1: begun. 2: events elsewhere that name its people are erased. 3: everything is erased.
  -- 4: checked again after a day.
  add column erasure_step integer not null default 0;
create index organizations_to_erase on organizations (erase_at) where erase_at is not null and erasure_step < 4;

-- Personal parts of an event can be erased, to fixed values only. `audit verify` accepts that only where a sealed event
-- covers it.
create or replace function refuse_event_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.created_at < clock_now() - interval '35 days' then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.actor_type = 'erased' and new.data = '{}'::jsonb and new.actor_id is null
    and new.previous is null and new.via is null and new.on_behalf_of is null and new.request_id is null
    and new.ip_address is null and new.user_agent is null
    and new.directory_id = old.directory_id and new.account_id = old.account_id
    and new.environment_id = old.environment_id and new.id = old.id and new.epoch = old.epoch
    and new.tx_id = old.tx_id and new.created_at = old.created_at and new.type = old.type
    and new.target_type is not distinct from old.target_type and new.target_id is not distinct from old.target_id then
    return new;
  end if;
  raise exception 'events are append-only';
end $$;
