-- Existing rows of SAML have the NameID. In a transaction of its own, so that sign-ins go on while it runs. ASCII alone: the
-- lower case of other letters is not the form in which names are compared.
update identities set principal_names = array[lower(subject)]
where method = 'sso' and subject ~ '^[\x20-\x7e]+$' and user_names @> array[lower(subject)] and exists (
  select from sso_connections where sso_connections.directory_id = identities.directory_id
    and sso_connections.id::text = identities.source and protocol = 'saml'
    and config -> 'attribute_mapping' ->> 'subject' is null);
