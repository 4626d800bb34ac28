-- Since when a user has the role in force: where a second factor is required of roles, the period of grace counts from
-- it. Null for whoever has had it since their creation, or since before this column.
alter table users add column role_since timestamptz;
