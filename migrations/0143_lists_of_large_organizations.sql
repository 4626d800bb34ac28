-- no transaction
-- An index that is made concurrently blocks no write, and cannot be made in a transaction. One that was interrupted stays
-- behind as invalid, so each is dropped first.

-- Users in the order of their last change.
drop index concurrently if exists users_by_change;
create index concurrently users_by_change on users (directory_id, updated_at, id) where deleted_at is null;
drop index concurrently if exists users_of_environment_by_change;
create index concurrently users_of_environment_by_change on users (environment_id, updated_at, id)
  where deleted_at is null;

-- The few of an organization that lists are filtered by.
drop index concurrently if exists users_inactive;
create index concurrently users_inactive on users (directory_id, created_at, id) where deleted_at is null and not active;
drop index concurrently if exists users_admins;
create index concurrently users_admins on users (directory_id, created_at, id)
  where deleted_at is null and role = 'admin';
-- Sign-ups that have expired are not counted.
drop index concurrently if exists users_pending;
create index concurrently users_pending on users (directory_id, pending_until)
  where deleted_at is null and pending_until is not null;
