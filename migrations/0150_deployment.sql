-- What the deployment knows of its database: which one it is, whether outgoing messages wait, and when it was recovered.
create table deployment (
  singleton boolean primary key default true check (singleton),
  -- The database in which the service started last; null until the first start of this release.
  system_identifier text,
  database_oid oid,
  -- Since when mails, text messages and webhooks wait for the operator, and why; null while they are sent.
  outgoing_held_since timestamptz,
  outgoing_held_because text check (outgoing_held_because in ('copied', 'recovered', 'requested')),
  -- The latest run of `watchword recover`.
  recovered_at timestamptz,
  check ((outgoing_held_since is null) = (outgoing_held_because is null))
);
insert into deployment default values;

-- The identifier that initdb gives a cluster: standbys share it. Null where the role or the provider does not allow it.
create function database_system_identifier() returns text language plpgsql stable as $$
begin
  return (select system_identifier from pg_control_system());
exception when insufficient_privilege or feature_not_supported or object_not_in_prerequisite_state then
  return null;
end $$;

-- Whether this database is another than the one in which the service started last: restored from a dump, or copied.
create function database_was_copied() returns boolean language sql stable as $$
  select coalesce(system_identifier <> database_system_identifier(), false)
    or coalesce(database_oid <> (select oid from pg_database where datname = current_database()), false)
  from deployment
$$;
