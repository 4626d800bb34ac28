-- A new user under the address of a locked user who was deleted has that lock too.
create index users_deleted_locked on users (directory_id, email_norm)
  where deleted_at is not null and access_locked_at is not null;
