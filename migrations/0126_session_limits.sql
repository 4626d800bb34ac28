-- When the identity provider wants the session to end (SAML core §2.7.2, SessionNotOnOrAfter; `session_expiry` of an ID
-- token), from the sign-in to the session that comes of it. Null: no limit.
alter table federated_sessions add column session_ends_at timestamptz;
alter table exchange_codes add column session_ends_at timestamptz;
