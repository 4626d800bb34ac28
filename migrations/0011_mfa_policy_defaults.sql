-- The fields that a directory leaves to the policy of the account-level directory of its environment. The release
-- before this one takes what is stored in their columns.
alter table mfa_policies add column inherited text[] not null default '{}';
