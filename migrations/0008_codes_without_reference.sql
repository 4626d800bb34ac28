-- Directories are never deleted, so this reference found nothing. What it cost: with each code, the row of its directory
-- was looked up, locked and written (FOR KEY SHARE), a quarter of the statement, and by all processes the same row.
alter table otps drop constraint otps_directory_id_fkey;
