-- When a link was used or closed is no column of an index any more, so that using one changes no index. What the index of
-- open invitations needs has a column that no other link's changes touch. Kept by a trigger, as a generated column would
-- have every row written anew, under a lock.
alter table links add column open_invite_until timestamptz;
create function keep_open_invite() returns trigger language plpgsql as $$
begin
  new.open_invite_until = case when new.used_at is null and new.closed_at is null then new.expires_at end;
  return new;
end $$;
create trigger links_open_invite before insert or update on links
  for each row when (new.purpose = 'invite') execute function keep_open_invite();
update links set open_invite_until = expires_at
where purpose = 'invite' and used_at is null and closed_at is null;

drop index links_open_invites;
create index links_open_invites on links (open_invite_until) where open_invite_until is not null;
