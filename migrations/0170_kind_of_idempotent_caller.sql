-- A key and a membership with the same id never share a response. Null: a row of the release before, which goes by the id alone.
alter table idempotency_keys add column caller_kind text;
