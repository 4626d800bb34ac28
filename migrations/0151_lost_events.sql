-- For epochs that ended when the database lost transactions: the transaction of their last event, by epoch. Consumers that
-- read beyond it have seen lost events.
alter table event_stream add column ends jsonb not null default '{}';
