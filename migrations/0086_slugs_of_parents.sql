-- A slug is unique within the parent organization. The constraint keeps its name, by which the release before this one
-- knows that a slug is taken.
alter table organizations drop constraint organizations_account_id_slug_key;
alter table organizations
  add constraint organizations_account_id_slug_key unique nulls not distinct (account_id, parent_id, slug);
