-- A link's token ends in a tag that only this service can make. Links from before have none, and so have those of a process
-- of the release before while it still runs; they work until they expire. Once none is left, no text without a tag is
-- looked up. Adding a column with a constant default writes no row anew.
alter table links add column tagged boolean not null default false;

create index links_untagged on links (expires_at) where not tagged;
