-- An epoch rises by a random step, so that of two copies each has epochs that the other does not know.
alter table event_stream alter column epoch type bigint;
-- The epochs before, whose cursors go on.
alter table event_stream add column earlier bigint[] not null default '{}';
alter table event_marks alter column epoch type bigint;
alter table events alter column epoch type bigint;
