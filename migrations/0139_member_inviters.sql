-- Who sent the latest invitation of a membership, or put its invited person on a roster: an API key or a member of the
-- team (a user of the console directory). Null without an invitation, and for invitations of earlier releases.
alter table members
  add column invited_by_type text,
  add column invited_by_id text;
