-- no transaction
-- An index that is made concurrently blocks no write. One that was interrupted stays behind as invalid.
drop index concurrently if exists links_invites_of_environment;
create index concurrently links_invites_of_environment on links (environment_id, created_at, id)
  where purpose = 'invite';
