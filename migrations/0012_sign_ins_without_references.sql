-- What a sign-in writes. Directories are never deleted, so these references found nothing, and for each row looked up,
-- locked and wrote that of its directory (FOR KEY SHARE): half as much as the row itself.
alter table sessions drop constraint sessions_directory_id_fkey;
alter table events drop constraint events_directory_id_fkey;
alter table links drop constraint links_directory_id_fkey;
alter table mfa_challenges drop constraint mfa_challenges_directory_id_fkey;

-- Room in each page for a row as it is after: a row that changes no indexed column then stays out of all indexes (a HOT
-- update). Codes are tried once at least, and then used. Pages that are there stay as they are.
alter table users set (fillfactor = 85);
alter table sessions set (fillfactor = 85);
alter table links set (fillfactor = 75);
alter table otps set (fillfactor = 70);
