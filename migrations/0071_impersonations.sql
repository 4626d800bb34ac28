-- Sessions in which somebody acts for a user, until their end is recorded.
create table impersonations (
  directory_id uuid not null references directories (id),
  -- Of the session.
  id uuid not null,
  user_id uuid not null,
  auth_account_id uuid not null,
  actor text not null,
  reason text not null,
  expires_at timestamptz not null,
  primary key (directory_id, id)
);
create index impersonations_by_user on impersonations (directory_id, user_id);
