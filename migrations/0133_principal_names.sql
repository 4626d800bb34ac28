-- Those of `user_names` that the administrators of an identity provider assign: `upn` and the SAML NameID. A provisioning client
-- finds users by them alone. Existing rows of SAML have the NameID; the next sign-in writes the rest. ASCII alone: the lower
-- case of other letters is not the form in which names are compared.
alter table identities add column principal_names text[];

update identities set principal_names = array[lower(subject)]
where method = 'sso' and subject ~ '^[\x20-\x7e]+$' and user_names @> array[lower(subject)] and exists (
  select from sso_connections where sso_connections.directory_id = identities.directory_id
    and sso_connections.id::text = identities.source and protocol = 'saml'
    and config -> 'attribute_mapping' ->> 'subject' is null);
