-- Whoever is on the roster of an organization as a member of the account: that membership. Null for a member of the
-- account, and for whoever belongs to that organization alone.
alter table members add column account_member_id uuid references members (id);
create index members_by_account_member on members (account_member_id) where account_member_id is not null;

-- Until when whoever was invited may join.
alter table members add column invite_expires_at timestamptz;
