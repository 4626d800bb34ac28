-- The trigger writes the environment.
update links set open_invite_until = open_invite_until where purpose = 'invite' and environment_id is null;
