-- The domains of organizations. Everywhere, as keys are, since one owner is unique over all organizations of an environment.
create table domains (
  id uuid not null,
  directory_id uuid not null references directories (id),
  environment_id uuid not null references environments (id),
  organization_id uuid not null references organizations (id),
  -- In the ASCII form of IDNA, in lower case.
  domain text not null,
  -- Public: the organization puts it into the DNS.
  token text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'failed')),
  verified_at timestamptz,
  last_checked_at timestamptz,
  last_error text,
  -- Of a verified domain: since when the periodic checks have not found its record, and how often the DNS said so.
  failing_since timestamptz,
  failed_checks integer not null default 0,
  -- Null unless verified.
  next_check_at timestamptz,
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, id),
  unique (directory_id, domain),
  check ((status = 'verified') = (verified_at is not null))
);
create unique index domains_one_owner on domains (environment_id, domain) where status = 'verified';
create index domains_by_organization on domains (organization_id, environment_id);
create index domains_by_next_check on domains (next_check_at) where next_check_at is not null;
