-- A lock that an administrator puts on a user: no sign-in method works until it ends. access_locked_at null: no such lock.
-- access_locked_until null: the lock has no end. users.locked_until stays the lock that wrong passwords cause.
alter table users
  add column access_locked_at timestamptz,
  add column access_locked_until timestamptz,
  add column access_lock_reason text;
