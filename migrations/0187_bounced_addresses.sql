-- One row for each address of a directory that mails bounced from, or whose owner complained of one. Rows of the account level
-- hold for every organization of the environment. reason null: the address is not suppressed.
create table bounced_addresses (
  directory_id uuid not null references directories (id),
  environment_id uuid not null references environments (id),
  id uuid not null,
  email_norm text not null,
  -- The latest soft bounces, at most three.
  soft_bounced_at timestamptz[] not null default '{}',
  reason text check (reason in ('hard_bounce', 'complaint', 'soft_bounces')),
  -- Of the bounce that decided (RFC 3463).
  status text,
  source text check (source in ('smtp', 'report')),
  suppressed_at timestamptz,
  -- Null: until it is cleared.
  suppressed_until timestamptz,
  withheld integer not null default 0,
  last_withheld_at timestamptz,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  primary key (directory_id, id),
  unique (directory_id, email_norm),
  check ((reason is null) = (suppressed_at is null))
);
create index bounced_addresses_by_age on bounced_addresses (directory_id, created_at, id) where reason is not null;
create index bounced_addresses_of_environment on bounced_addresses (environment_id, created_at, id)
  where reason is not null;
create index bounced_addresses_by_change on bounced_addresses (updated_at);
select expect_many_rows('bounced_addresses');

-- Reports that were counted: one that is sent again counts once.
create table bounce_reports (
  directory_id uuid not null references directories (id),
  email_norm text not null,
  kind text not null,
  report_id text not null,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, email_norm, kind, report_id)
);
create index bounce_reports_by_age on bounce_reports (created_at);
select expect_many_rows('bounce_reports');
