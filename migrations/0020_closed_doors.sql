-- A key is looked up by its keyed hash, which has had a unique index from the beginning; `start` is for people alone.
drop index api_keys_by_start;

-- The custom environments of an organization have names of their own, so that none learns of, or takes, those of others.
alter table environments drop constraint environments_account_id_slug_key;
alter table environments add unique nulls not distinct (account_id, organization_id, slug);
-- The last part of the address of the issuer, which never changes and is of one environment of the account alone: where
-- it is null the slug, as it was for all, and for later custom environments their id.
alter table environments add column issuer_name text;
create unique index environments_by_issuer on environments (account_id, coalesce(issuer_name, slug));

-- Whose origins a relying party's host lists goes by age: since when the directory has named what it names, also if that
-- is nothing and it inherits.
alter table passkey_settings add column named_rp_id text;
alter table passkey_settings add column named_at timestamptz not null default clock_now();
update passkey_settings set named_rp_id = settings ->> 'rp_id', named_at = updated_at;
