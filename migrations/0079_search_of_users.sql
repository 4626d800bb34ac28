-- Users are also found by the beginning of the first name, which the last one follows, of the last name, and of the digits
-- of the phone number.
create index users_by_full_name on users
  (directory_id, lower(coalesce(first_name || ' ' || last_name, first_name)) collate "C") where deleted_at is null;
create index users_by_last_name on users (directory_id, lower(last_name) collate "C") where deleted_at is null;
create index users_by_phone on users (directory_id, regexp_replace(phone, '\D', '', 'g') collate "C")
  where deleted_at is null;
create index users_of_environment_by_full_name on users
  (environment_id, lower(coalesce(first_name || ' ' || last_name, first_name)) collate "C") where deleted_at is null;
create index users_of_environment_by_last_name on users (environment_id, lower(last_name) collate "C")
  where deleted_at is null;
create index users_of_environment_by_phone on users (environment_id, regexp_replace(phone, '\D', '', 'g') collate "C")
  where deleted_at is null;

-- Of users who were deleted, who can be restored for thirty days.
create index users_deleted_by_age on users (directory_id, created_at, id) where deleted_at is not null;
create index users_of_environment_deleted_by_age on users (environment_id, created_at, id) where deleted_at is not null;
