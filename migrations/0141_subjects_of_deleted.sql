-- By which subjects of identity providers the user of a deleted resource signed in, each as connection, issuer and subject on lines of
-- their own. The provider opens no other user for them while the client may bring the user back.
alter table scim_users add column subjects text[];

create index scim_users_by_subjects on scim_users using gin (subjects) with (fastupdate = off) where deleted_at is not null;
