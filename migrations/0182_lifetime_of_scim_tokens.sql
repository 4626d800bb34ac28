-- When a token ends by itself, beside the end that another token gives it, and how many days before that the last event was.
alter table scim_tokens add column lifetime_ends_at timestamptz, add column told_days integer;
create index scim_tokens_by_lifetime on scim_tokens (lifetime_ends_at)
  where lifetime_ends_at is not null and told_days is distinct from 0;
