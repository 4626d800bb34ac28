-- The SAML or OIDC connection that a session came from. Null: another sign-in method, or a session of the release before. The
-- id stays when the connection is deleted, so there is no foreign key.
alter table sessions add column connection_id uuid;
