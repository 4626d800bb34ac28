-- Connections to the identity providers of organizations. `config` has what the protocol needs, but for the secret.
create table sso_connections (
  directory_id uuid not null references directories (id),
  id uuid not null,
  -- Of the directory; lets an org-wide key list an environment by one index.
  environment_id uuid not null,
  name text not null,
  protocol text not null check (protocol in ('saml', 'oidc')),
  status text not null default 'draft' check (status in ('draft', 'testing', 'active', 'error')),
  config jsonb not null default '{}',
  oidc_client_secret_sealed text,
  -- The result of the last test.
  last_test jsonb,
  last_login_at timestamptz,
  -- When its metadata and certificates are looked at again, and how many days were left when it was last told that a
  -- certificate expires.
  next_check_at timestamptz,
  expiry_told_days integer,
  version integer not null default 1,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create index sso_connections_by_age on sso_connections (directory_id, created_at, id);
create index sso_connections_of_environment_by_age on sso_connections (environment_id, created_at, id);
create index sso_connections_of_environment_by_id on sso_connections (environment_id, id);
create index sso_connections_by_next_check on sso_connections (next_check_at) where next_check_at is not null;

-- What the service signs and decrypts with as a SAML service provider: pairs of each environment. Everywhere, as signing
-- keys.
create table sp_keys (
  environment_id uuid not null references environments (id),
  id uuid not null,
  use text not null check (use in ('signing', 'encryption')),
  -- `next` is published beside `current`, and `former` stays published, until every provider knows the new one.
  status text not null check (status in ('current', 'next', 'former')),
  certificate_pem text not null,
  private_key_sealed text not null,
  not_after timestamptz not null,
  created_at timestamptz not null default clock_now(),
  primary key (environment_id, id)
);
create unique index sp_keys_one_of_each on sp_keys (environment_id, use, status);

-- Who a user is at a provider: the subject that an issuer names, by a connection or a social provider.
create table identities (
  directory_id uuid not null references directories (id),
  id uuid not null,
  user_id uuid not null,
  method text not null check (method in ('sso', 'social')),
  -- The id of the connection, or the name of the provider.
  source text not null,
  issuer text not null,
  subject text not null,
  email text,
  created_at timestamptz not null default clock_now(),
  last_used_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create unique index identities_by_subject on identities (directory_id, method, source, issuer, subject);
create index identities_by_user on identities (directory_id, user_id);

-- Sign-ins under way at a provider. The browser brings back the state; nonce and verifier derive from it.
create table federated_sign_ins (
  directory_id uuid not null references directories (id),
  id uuid not null,
  state_hash bytea not null,
  method text not null,
  source text not null,
  redirect_uri text not null,
  response_mode text not null check (response_mode in ('query', 'code')),
  open_signup boolean,
  is_test boolean not null default false,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  primary key (directory_id, id)
);
create unique index federated_sign_ins_by_state on federated_sign_ins (directory_id, state_hash);
create index federated_sign_ins_by_expiry on federated_sign_ins (expires_at);

-- What a browser took to the application in place of tokens: its backend exchanges it for a session, once.
create table exchange_codes (
  directory_id uuid not null references directories (id),
  id uuid not null,
  code_hash bytea not null,
  user_id uuid not null,
  auth_method text not null,
  -- The id of the connection, or the name of the provider.
  source text not null,
  amr text[] not null,
  aal text not null check (aal in ('aal1', 'aal2')),
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  primary key (directory_id, id)
);
create unique index exchange_codes_by_code on exchange_codes (directory_id, code_hash);
create index exchange_codes_by_user on exchange_codes (directory_id, user_id);
create index exchange_codes_by_expiry on exchange_codes (expires_at);

-- Assertions that were accepted, until they expire: none is accepted twice.
create table saml_assertions (
  directory_id uuid not null references directories (id),
  connection_id uuid not null,
  assertion_hash bytea not null,
  expires_at timestamptz not null,
  primary key (directory_id, connection_id, assertion_hash)
);
create index saml_assertions_by_expiry on saml_assertions (expires_at);

-- What providers said at recent sign-ins, to be read by people. Sealed: it is about persons.
create table sso_traces (
  directory_id uuid not null references directories (id),
  id uuid not null,
  connection_id uuid not null,
  is_test boolean not null,
  outcome text not null check (outcome in ('accepted', 'refused')),
  code text,
  said_sealed text not null,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, id)
);
create index sso_traces_by_connection on sso_traces (directory_id, connection_id, created_at, id);
create index sso_traces_by_age on sso_traces (created_at);

-- Social providers that were set, with the credentials that the directory has of its own.
create table social_providers (
  directory_id uuid not null references directories (id),
  provider text not null check (provider in ('google', 'github', 'apple', 'microsoft')),
  enabled boolean not null,
  client_id text,
  -- The client secret, or Apple's private key.
  secret_sealed text,
  options jsonb not null default '{}',
  updated_at timestamptz not null default clock_now(),
  primary key (directory_id, provider)
);
