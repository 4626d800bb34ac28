-- no transaction
-- Social sign-in without an organization. Each statement may be repeated.

-- Whose subject it is, where a provider names the same person differently to each of its clients: the client ID at
-- Microsoft, the team at Apple. Null at other providers, and for identities of an earlier release.
alter table identities add column if not exists sector text;

-- A code of the account level is of no user yet: its person chooses an organization. Sealed: it is about a person.
alter table exchange_codes add column if not exists person_sealed text;
alter table exchange_codes alter column user_id drop not null;
alter table exchange_codes drop constraint if exists exchange_codes_of_user_or_person;
alter table exchange_codes add constraint exchange_codes_of_user_or_person
  check ((user_id is null) = (person_sealed is not null));

-- A person of a provider in all organizations. A concurrent build blocks no write. One that was interrupted leaves an
-- invalid index behind, so it is dropped first.
drop index concurrently if exists identities_of_social_persons;
create index concurrently identities_of_social_persons on identities (subject, issuer) where method = 'social';
