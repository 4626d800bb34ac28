-- Where provisioning is enabled, connections make no users unless they say so. Those that made users until now go on.
update sso_connections set config = config || '{"jit_provisioning": true}'
from scim_configs
where scim_configs.directory_id = sso_connections.directory_id and scim_configs.enabled
  and not sso_connections.config ? 'jit_provisioning';
