-- A PATCH of a user without `emails` has stored the address that was derived from the userName as if the client had sent it,
-- and a later change of the userName did not move it. Such rows cannot be told from those whose client has sent this one
-- address itself, which lose nothing: it is derived from the userName again. Where the userName has changed since, the stored
-- address may be the client's own and stays. A user at version 1 has had no PATCH.
update scim_users set resource = resource - 'emails'
from users
where users.directory_id = scim_users.directory_id and users.id = scim_users.user_id and users.version > 1
  and jsonb_typeof(resource -> 'emails') = 'array' and jsonb_array_length(resource -> 'emails') = 1
  and (resource -> 'emails' -> 0) - 'value' = '{"type": "work", "primary": true}'::jsonb
  and lower(resource -> 'emails' -> 0 ->> 'value') = user_name_folded;
