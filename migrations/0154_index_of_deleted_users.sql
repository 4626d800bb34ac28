-- no transaction
-- Deleted users in the order of their last change. A concurrent build blocks no write. One that was interrupted leaves an
-- invalid index behind, so each is dropped first.
drop index concurrently if exists users_deleted_by_change;
create index concurrently users_deleted_by_change on users (directory_id, updated_at, id) where deleted_at is not null;
drop index concurrently if exists users_of_environment_deleted_by_change;
create index concurrently users_of_environment_deleted_by_change on users (environment_id, updated_at, id)
  where deleted_at is not null;
