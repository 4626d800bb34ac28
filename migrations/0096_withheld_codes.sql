-- A code of which no message left voids no older one, so that the newest of the others counts. It stands before the time
-- in the indexes: that one is found at once however many have been withheld since.
alter table otps add column withheld boolean not null default false;
create index otps_of_session on otps (directory_id, session_ref, withheld, created_at, id) where session_ref is not null;
create index otps_of_identity on otps (directory_id, identity, purpose, withheld, created_at, id)
  where identity is not null;
drop index otps_by_session;
drop index otps_by_identity;
