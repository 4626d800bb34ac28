-- How often a user has signed in within the present minute: kept by the statement that writes the session, under the lock
-- of this row, which it updates anyway.
alter table users add column sign_ins int not null default 0;
alter table users add column sign_ins_since timestamptz;

-- The password that a user has chosen in place of one that must change, until the second factor has been shown: its hash,
-- as it will be stored.
alter table mfa_challenges add column next_password_hash text;
