-- In a migration of its own: the column is added under a lock that waits for no count.
update directories set user_count = counted.users
from (select directory_id, count(*) as users from users where deleted_at is null group by directory_id) counted
where directories.id = counted.directory_id and counted.users > 200;
