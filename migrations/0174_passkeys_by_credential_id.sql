-- no transaction
-- A sign-in without an organization finds a passkey by its credential id. A concurrent build blocks no write. One that was
-- interrupted leaves an invalid index behind, so it is dropped first.
drop index concurrently if exists passkeys_by_credential_id;
create index concurrently passkeys_by_credential_id on passkeys (credential_id);
