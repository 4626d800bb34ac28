-- What a sign-in writes. Directories are never deleted, so these references found nothing, and for each row looked up,
-- locked and wrote that of its directory (FOR KEY SHARE): half as much as the row itself.
alter table sessions drop constraint sessions_directory_id_fkey;
alter table events drop constraint events_directory_id_fkey;
alter table links drop constraint links_directory_id_fkey;
alter table mfa_challenges drop constraint mfa_challenges_directory_id_fkey;

-- A row that changes no indexed column stays out of all indexes, if its page has room for it (a HOT update). Used and
-- closed are no columns of an index, then: what this one is for has a column that no other link's changes touch.
alter table links add column open_invite_until timestamptz
  generated always as (case when purpose = 'invite' and used_at is null and closed_at is null then expires_at end) stored;
drop index links_open_invites;
create index links_open_invites on links (open_invite_until) where open_invite_until is not null;

alter table users set (fillfactor = 85);
alter table sessions set (fillfactor = 85);
alter table links set (fillfactor = 75);
-- Tried once at least, and then used.
alter table otps set (fillfactor = 70);
