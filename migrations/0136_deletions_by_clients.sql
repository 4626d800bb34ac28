-- Whether the provisioning client deleted the user, rather than a caller of the API. A new user of the same userName then has the
-- lock of the deleted one.
alter table scim_users add column deleted_by_client boolean not null default false;
