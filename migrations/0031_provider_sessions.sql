-- How the provider names the person of a session, and the session there: keyed hashes, by which a logout finds what it
-- ends. Null where the provider does not say, and for sessions of an earlier release.
alter table federated_sessions
  add column name_hash bytea,
  add column provider_session_hash bytea;
create index federated_sessions_by_name on federated_sessions (directory_id, name_hash) where name_hash is not null;
create index federated_sessions_by_provider_session on federated_sessions (directory_id, provider_session_hash)
  where provider_session_hash is not null;

-- The same until the code is exchanged.
alter table exchange_codes
  add column name_hash bytea,
  add column provider_session_hash bytea;
