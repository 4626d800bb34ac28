-- The configuration of provisioning kept the id of a connection that was deleted. It gave no roles any more, and sending it
-- back was refused.
update scim_configs set sso_connection_id = null
where sso_connection_id is not null and not exists (
  select 1 from sso_connections
  where sso_connections.directory_id = scim_configs.directory_id and sso_connections.id = scim_configs.sso_connection_id);
