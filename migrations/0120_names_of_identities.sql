-- What an identity provider calls a person besides the subject: a provisioning client that adds the person later finds the
-- user by it. Existing rows have what they can tell; the next sign-in writes the rest.
alter table identities add column external_ids text[];
-- In lower case.
alter table identities add column user_names text[];

update identities set external_ids = array[subject],
  user_names = case when exists (
    select from sso_connections where sso_connections.directory_id = identities.directory_id
      and sso_connections.id::text = identities.source and protocol = 'saml') then array[lower(subject)] end
where method = 'sso' and length(subject) <= 320;

-- Without a list of pending entries, which every search would read.
create index identities_by_external_ids on identities using gin (external_ids) with (fastupdate = off);
create index identities_by_user_names on identities using gin (user_names) with (fastupdate = off);
