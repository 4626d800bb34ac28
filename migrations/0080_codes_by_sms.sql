-- The phone that a sign-in code was sent to, which has to be its user's still when the code is used; a decoy has one of
-- nobody. Null: the code was mailed.
alter table otps add column phone_id uuid;
