-- An externalId may occur several times (RFC 7643 §3.1). A first sign-in looks among those whom the client has deleted, too.
drop index scim_users_by_external_id;
drop index scim_users_gone;
create index scim_users_by_external_id on scim_users (directory_id, external_id) where external_id is not null;
create index scim_users_by_former_name on scim_users (directory_id, user_name_folded) where deleted_at is not null;
