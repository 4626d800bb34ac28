-- A digest of the password's revision, its directory and the address of its user, where an administrator or a backend set it: the
-- first proof of that mailbox leaves it. Another password, address or directory does not fit.
alter table password_credentials add column manager_mark bytea;
