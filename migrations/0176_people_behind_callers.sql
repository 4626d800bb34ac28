-- The person that the caller's backend acts for, as it says: {id, name}. Null: not said, or an event of the release before.
alter table events add column on_behalf_of jsonb;
-- The caller of a sign-in, whose events have the user as actor: {type, id}. Null: the actor called, or there was no caller.
alter table events add column via jsonb;

alter table session_cut_offs add column on_behalf_of jsonb;
alter table session_cut_offs add column via jsonb;

-- Without a default: a process of the release before, whose digests cover fewer columns of an event, adds no block.
alter table audit_blocks add column digest_version smallint not null default 2;
alter table audit_blocks alter column digest_version drop default;
