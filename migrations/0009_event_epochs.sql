-- An epoch rises by a random step, so that of two copies each has epochs that the other does not know.
alter table event_stream alter column epoch type bigint;
-- The epochs before, whose cursors go on.
alter table event_stream add column earlier bigint[] not null default '{}';
alter table event_marks alter column epoch type bigint;
alter table events alter column epoch type bigint;

-- Read with each event, so that a new epoch changes one row and no table.
create function event_epoch() returns bigint language sql stable as 'select epoch from event_stream';
alter table events alter column epoch set default event_epoch();

-- This database in this cluster on its present timeline, which the control file shows only after a checkpoint; null where
-- we may not know.
create function event_cluster() returns text language plpgsql stable as $$
begin
  return (select system_identifier from pg_control_system()) || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '/' || (select oid from pg_database where datname = current_database());
exception when insufficient_privilege or feature_not_supported or object_not_in_prerequisite_state then
  return null;
end $$;
