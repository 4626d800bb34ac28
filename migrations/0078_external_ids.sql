-- An external id is of one user of a directory. Until now several could have the same one: the oldest keeps it for good,
-- and the others go on showing it until it is changed, without holding it.
alter table users add column external_id_repeated boolean not null default false;

update users set external_id_repeated = true
where external_id is not null and deleted_at is null and exists (
  select from users older
  where older.directory_id = users.directory_id and older.external_id = users.external_id and older.deleted_at is null
    and (older.created_at, older.id) < (users.created_at, users.id));

create unique index users_by_own_external_id on users (directory_id, external_id)
  where external_id is not null and deleted_at is null and not external_id_repeated;
