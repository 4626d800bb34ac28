-- Where events are sent to, signed as Standard Webhooks 1.0 says.
create table webhooks (
  directory_id uuid not null references directories (id),
  environment_id uuid not null references environments (id),
  id uuid not null,
  name text not null,
  url text not null,
  -- Types, and beginnings of types such as user.*
  events text[] not null,
  enabled boolean not null default true,
  disabled_reason text check (disabled_reason in ('failing', 'gone', 'request')),
  secret_sealed text not null,
  secret_hint text not null,
  -- The one before, with which deliveries are signed too until then.
  previous_secret_sealed text,
  previous_until timestamptz,
  -- Only what happens from then on is sent.
  listening_since timestamptz not null default clock_now(),
  version integer not null default 1,
  created_at timestamptz not null default clock_now(),
  updated_at timestamptz not null default clock_now(),
  primary key (directory_id, id),
  check ((disabled_reason is null) = enabled)
);
create index webhooks_by_age on webhooks (directory_id, created_at, id);
create index webhooks_of_environment on webhooks (environment_id, created_at, id);

-- What each endpoint has to do, and how it fares: apart from its record, since this changes with every delivery.
create table webhook_queues (
  directory_id uuid not null,
  webhook_id uuid not null,
  -- When something is due; null while nothing is.
  wake_at timestamptz,
  -- Rises with what is put in, so that whoever lets go of the queue knows whether they have seen all of it.
  wakes bigint not null default 0,
  -- One process at a time works on a queue; that of one that died is free again when its lease is over.
  holder uuid,
  leased_until timestamptz not null default clock_now(),
  -- Slow or failing: has places of its own, so that it takes none from those that are well.
  troubled boolean not null default false,
  consecutive_failures integer not null default 0,
  failing_since timestamptz,
  last_failure_at timestamptz,
  last_delivery_at timestamptz,
  primary key (directory_id, webhook_id),
  foreign key (directory_id, webhook_id) references webhooks (directory_id, id) on delete cascade
);
create index webhook_queues_due on webhook_queues (troubled, wake_at) where wake_at is not null;

-- One event for one endpoint, with what became of it. The event itself is not repeated here.
create table webhook_deliveries (
  directory_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  event_directory_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  -- How often it was sent, and how often since it was last put in: the place in the schedule.
  attempt integer not null default 0,
  tries integer not null default 0,
  due_at timestamptz,
  -- Of the last attempt.
  url text,
  request_headers jsonb,
  response_status integer,
  response_body text,
  error text,
  duration_ms integer,
  -- The last attempts, the newest last.
  attempts jsonb not null default '[]',
  created_at timestamptz not null default clock_now(),
  primary key (directory_id, id),
  unique (directory_id, webhook_id, event_id),
  check ((status = 'pending') = (due_at is not null))
);
create index webhook_deliveries_due on webhook_deliveries (directory_id, webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_listed on webhook_deliveries (directory_id, webhook_id, id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- Up to where the events of an environment were handed to its endpoints.
create table webhook_cursors (
  environment_id uuid primary key references environments (id),
  epoch bigint not null,
  tx_id xid8 not null,
  event_id uuid not null
);
