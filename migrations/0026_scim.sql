-- Provisioning by SCIM (RFC 7644), of each organization: whether it is on, and what it does.
create table scim_configs (
  directory_id uuid primary key references directories (id),
  enabled boolean not null default false,
  -- Whose group_role_mapping the provisioned groups give roles by.
  sso_connection_id uuid,
  on_deprovision text not null default 'deactivate' check (on_deprovision in ('deactivate', 'delete')),
  last_request_at timestamptz,
  updated_at timestamptz not null default clock_now()
);

-- Bearer tokens of provisioning clients, found without a directory: which one it is only the row says. Everywhere, as API
-- keys.
create table scim_tokens (
  id uuid primary key,
  directory_id uuid not null references directories (id),
  token_hash bytea not null unique,
  -- The last characters, to tell tokens apart.
  hint text not null,
  -- Set once another has taken its place.
  expires_at timestamptz,
  created_at timestamptz not null default clock_now()
);
create index scim_tokens_by_directory on scim_tokens (directory_id);
create index scim_tokens_by_expiry on scim_tokens (expires_at) where expires_at is not null;
