-- The environment of an invitation, so that an index lists those of a whole environment. The trigger writes it for the release
-- before, too.
alter table links add column environment_id uuid;
create or replace function keep_open_invite() returns trigger language plpgsql as $$
begin
  new.open_invite_until = case when new.used_at is null and new.closed_at is null then new.expires_at end;
  if new.environment_id is null then
    select environment_id into new.environment_id from directories where id = new.directory_id;
  end if;
  return new;
end $$;
