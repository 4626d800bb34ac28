import type pg from 'pg'

/** Where rows are sent: a client or a pool. */
export type Target = Pick<pg.Pool, 'query'>

/** An organization in one environment. */
export interface Place {
  directoryId: string
  environmentId: string
}

export interface Crowd {
  users: number
  /** The role that every hundredth user has, if the organization has one. */
  roleId?: string
  /** The webhook that every tenth event was delivered to, if there is one. */
  webhookId?: string
}

/** Rows of one statement: few enough that it does not hold the memory of a small server. */
const STEP = 50_000

/**
 * Gives an organization so many users, created a second apart, and in proportion what hangs on them: an event, a session
 * an invitation and a suppressed address of each, of which half have ended; every tenth is provisioned by SCIM, into a group of 100.
 * Few have the role `admin`, few are deactivated, and few have deleted themselves. The server generates the rows: `COPY`
 * would need its protocol, which no dependency of the project speaks.
 */
export async function fillOrganization(target: Target, place: Place, crowd: Crowd): Promise<void> {
  for (let from = 1; from <= crowd.users; from += STEP) {
    const range = [place.directoryId, place.environmentId, from, Math.min(from + STEP - 1, crowd.users), crowd.users]
    for (const statement of [USERS, EVENTS, SESSIONS]) await target.query(statement, range)
  }
  const here = [place.directoryId]
  for (const statement of [INVITES, BOUNCES, SCIM_USERS, SCIM_EMAILS, SCIM_GROUPS, SCIM_MEMBERS, SCIM_LOGS])
    await target.query(statement, here)
  if (crowd.roleId) await target.query(ASSIGNMENTS, [...here, crowd.roleId])
  if (crowd.webhookId) await target.query(DELIVERIES, [...here, crowd.webhookId])
}

/** What autovacuum does in its own time: statistics, and which pages every transaction sees. */
export async function settleTables(target: Target): Promise<void> {
  for (const table of TABLES) await target.query(`vacuum (analyze) ${table}`)
}

const TABLES = [
  ...['users', 'events', 'sessions', 'links', 'scim_users', 'scim_user_emails', 'scim_groups', 'scim_group_members'],
  ...['bounced_addresses', 'scim_logs', 'role_assignments', 'webhook_deliveries', 'organizations', 'directories'],
]

const FIRST = `(array['Ada','Bob','Cy','Dora','Emil','Fay','Gus','Hana','Ivo','Jo','Kim','Lea','Max','Nia','Ole','Pia','Quin','Ria','Sam','Tom'])[1 + n % 20]`
// Of a thousand last names, so that one is the name of a thousandth.
const LAST = `'Family' || to_char(n / 20 % 1000, 'FM000')`

// Each has an id that follows from its number, as those of its other rows do.
const idOf = (what: string) => `md5($1::text || '${what}' || n)::uuid`
const created = `clock_now() - interval '1 day' - make_interval(secs => $5::int - n)`

const USERS = `
  insert into users (directory_id, environment_id, id, auth_account_id, email, email_norm, email_verified, display_name,
    first_name, last_name, phone, external_id, role, active, scim_managed, deleted_at, source, created_at, updated_at)
  select $1::uuid, $2::uuid, ${idOf('user')}, ${idOf('account')}, 'person' || n || '@large.example',
    'person' || n || '@large.example', true, ${FIRST} || ' ' || ${LAST}, ${FIRST}, ${LAST}, '+1415' || to_char(n, 'FM0000000'),
    'person-' || n, case when n % 5000 = 7 then 'admin' else 'member' end, n % 5000 <> 8, n % 10 = 0,
    case when n % 1000 = 9 then clock_now() - interval '1 hour' end, case when n % 10 = 0 then 'scim' else 'bulk' end,
    ${created}, ${created}
  from generate_series($3::int, $4::int) n`

// As the events of a user who was created by the API.
const EVENTS = `
  with made as materialized (
    select data from events where environment_id = $2::uuid and type = 'user.created' order by epoch, tx_id, id limit 1)
  insert into events (directory_id, environment_id, account_id, id, type, actor_type, actor_id, target_type, target_id,
    request_id, data, created_at)
  select $1::uuid, $2::uuid, d.account_id, ${idOf('event')},
    case when n % 100 = 0 then 'user.updated' else 'user.created' end, 'system', null, 'user', ${idOf('user')}::text,
    'req_' || n, made.data || jsonb_build_object('id', ${idOf('user')}, 'email', 'person' || n || '@large.example',
      'firstName', ${FIRST}, 'lastName', ${LAST}), ${created}
  from directories d, made, generate_series($3::int, $4::int) n where d.id = $1::uuid`

const SESSIONS = `
  insert into sessions (directory_id, environment_id, id, user_id, auth_account_id, auth_method, amr, aal, refresh_hash,
    created_at, last_active_at, idle_expires_at, expires_at)
  select $1::uuid, $2::uuid, ${idOf('session')}, ${idOf('user')}, ${idOf('account')}, 'otp', '{otp}', 'aal1',
    sha256(('refresh' || n)::bytea), ${created}, ${created}, clock_now() + interval '30 days', clock_now() + interval '30 days'
  from generate_series($3::int, $4::int) n`

const INVITES = `
  insert into links (directory_id, id, purpose, user_id, identity, token_hash, details, created_at, expires_at, used_at)
  select $1::uuid, u.id, 'invite', u.id, sha256(u.email_norm::bytea), sha256(u.id::text::bytea),
    jsonb_build_object('email', u.email), u.created_at, clock_now() + interval '7 days',
    case when right(u.id::text, 1) <> '0' then u.created_at end
  from users u where u.directory_id = $1::uuid and u.external_id is not null and u.deleted_at is null`

const BOUNCES = `
  insert into bounced_addresses (directory_id, environment_id, id, email_norm, reason, source, suppressed_at, suppressed_until,
    created_at, updated_at)
  select u.directory_id, u.environment_id, u.id, u.email_norm, 'soft_bounces', 'report', u.created_at,
    case when right(u.id::text, 1) < '8' then u.created_at + interval '1 second' end, u.created_at, u.created_at
  from users u where u.directory_id = $1::uuid and u.external_id is not null`

const SCIM_USERS = `
  insert into scim_users (directory_id, user_id, user_name, external_id, resource, created_at)
  select $1::uuid, u.id, u.email, 'entra-' || u.external_id, jsonb_build_object('userName', u.email), u.created_at
  from users u where u.directory_id = $1::uuid and u.scim_managed and u.deleted_at is null`

const SCIM_EMAILS = `
  insert into scim_user_emails (directory_id, user_id, n, value, type, is_primary)
  select directory_id, user_id, 0, user_name, 'work', true from scim_users where directory_id = $1::uuid`

const SCIM_GROUPS = `
  insert into scim_groups (directory_id, id, display_name, external_id, resource)
  select $1::uuid, ${idOf('group')}, 'Group ' || n, 'group-' || n, '{}'::jsonb
  from generate_series(1, (select greatest(1, count(*)::int / 100) from scim_users where directory_id = $1::uuid)) n`

const SCIM_MEMBERS = `
  insert into scim_group_members (directory_id, group_id, user_id)
  select $1::uuid, md5($1::text || 'group' || 1 + place / 100)::uuid, user_id
  from (select user_id, row_number() over (order by created_at) - 1 as place from scim_users
    where directory_id = $1::uuid) members
  where 1 + place / 100 <= (select count(*) from scim_groups where directory_id = $1::uuid)`

const SCIM_LOGS = `
  insert into scim_logs (directory_id, id, method, route, status, said_sealed, created_at)
  select directory_id, user_id, 'POST', '/Users', 201, 'sealed', created_at from scim_users where directory_id = $1::uuid`

const ASSIGNMENTS = `
  with given as (
    update users set role_ids = array[$2::uuid] where directory_id = $1::uuid and external_id like '%01'
    returning id, created_at)
  insert into role_assignments (directory_id, id, user_id, role_id, source, created_at)
  select $1::uuid, id, id, $2::uuid, 'manual', created_at from given`

const DELIVERIES = `
  insert into webhook_deliveries (directory_id, webhook_id, id, event_directory_id, event_id, event_type, status, attempt,
    created_at)
  select $1::uuid, $2::uuid, id, $1::uuid, id, type, 'succeeded', 1, created_at
  from events where directory_id = $1::uuid and request_id like '%0'`
