-- Those of `user_names` that the administrators of an identity provider assign: `upn` and the SAML NameID. A provisioning client
-- finds users by them alone. The next migration fills it; the next sign-in writes the rest.
alter table identities add column principal_names text[];
