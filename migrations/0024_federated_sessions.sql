-- What a start demanded of the provider; and of a logout under way there, the session that it ended, and what the
-- application gets back.
alter table federated_sign_ins
  add column force_authn boolean not null default false,
  add column session_id uuid,
  add column application_state text;

-- By which identity a session began, and what its provider takes for a logout: sealed; null where it takes none.
create table federated_sessions (
  directory_id uuid not null references directories (id),
  -- Of the session, which has the id of the challenge before it, if there was one.
  id uuid not null,
  user_id uuid not null,
  identity_id uuid not null,
  logout_sealed text,
  expires_at timestamptz not null,
  primary key (directory_id, id)
);
create index federated_sessions_by_user on federated_sessions (directory_id, user_id);
create index federated_sessions_by_expiry on federated_sessions (expires_at);

-- The same until the code is exchanged; null for codes of an earlier release.
alter table exchange_codes
  add column identity_id uuid,
  add column logout_sealed text;

-- Logout tokens of OpenID providers that were accepted, until they expire: none is accepted twice.
create table logout_tokens (
  directory_id uuid not null references directories (id),
  connection_id uuid not null,
  token_hash bytea not null,
  expires_at timestamptz not null,
  primary key (directory_id, connection_id, token_hash)
);
create index logout_tokens_by_expiry on logout_tokens (expires_at);
