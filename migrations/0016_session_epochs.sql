-- Sessions end by a bound, however many there are: each has the epochs of sessions that its user and its organization
-- had when it began, and ends when either is raised. That its row says so, and the event, may follow later.
alter table users
  -- Raised by whatever ends every session of the user.
  add column session_epoch integer not null default 0,
  -- How many live sessions the user has at most: below its limit a sign-in counts none. Not known of users who are here
  -- already: more than any limit.
  add column sessions_at_most integer not null default 1001;
alter table users alter column sessions_at_most set default 0;
alter table organizations add column session_epoch integer not null default 0;
alter table sessions
  add column user_epoch integer not null default 0,
  add column organization_epoch integer not null default 0;

-- What is left to do after sessions have ended by the bound: their rows and events.
create table session_cut_offs (
  directory_id uuid not null,
  id uuid not null,
  -- Whose sessions ended; empty for all of the directory's organization.
  user_id uuid,
  -- Sessions of an earlier epoch ended.
  epoch integer not null,
  reason text not null,
  actor_type text not null,
  actor_id text,
  request_id text,
  ip_address text,
  user_agent text,
  ended_at timestamptz not null,
  -- From then on no sign-in is under way that has an earlier epoch of the organization.
  settles_at timestamptz not null,
  -- From where on sessions are looked at again once it has settled.
  looks_back_to timestamptz not null,
  -- How old the last session was that was looked at: older ones are done.
  reached_at timestamptz not null default '-infinity',
  primary key (directory_id, id)
);
create index session_cut_offs_by_settling on session_cut_offs (settles_at);

-- The feed of revocations has long been read from the event stream.
drop index sessions_by_revocation;
drop index sessions_of_environment_by_revocation;
