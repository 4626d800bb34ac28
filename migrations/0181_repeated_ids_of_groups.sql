-- An externalId of groups may repeat, too (RFC 7643 §3.1).
drop index scim_groups_by_external_id;
create index scim_groups_by_external_id on scim_groups (directory_id, external_id) where external_id is not null;
