/** Statements of earlier releases that failed on Citus, by the rule that refuses their kind. */
export const REFUSED: Record<string, Record<string, string>> = {
  'no query within `insert … values`': {
    'the first account': `insert into "accounts" ("id", "name", "home")
      values ($1, $2, not exists (select from accounts where home))`,
  },
  '`insert … select … returning` gives the target a name of its own': {
    'an exchange code': `insert into exchange_codes (directory_id, id, code_hash, user_id)
      select directory_id, $1::uuid, $2::bytea, id from users where directory_id = $3 and id = $4 and epoch = $5
      for share returning id`,
    'an API key': `insert into "api_keys" ("id", "account_id", "environment_id")
      select $1 as "id", "environments"."account_id", "environments"."id" as "environment_id" from "environments"
      where "environments"."id" = $2 returning *`,
  },
  'no `insert … select` of tables after a `with` that writes: write it in the `with`, too': {
    'an exchange code, with what the provider says': `with named as (
        update identities set user_names = $1::text[] where directory_id = $2 and id = $3)
      insert into exchange_codes as made (directory_id, id, user_id)
      select directory_id, $4::uuid, id from users where directory_id = $2 and id = $5 for share returning made.id`,
  },
  'no lock of a table that is on every server in a `with` that writes': {
    'the last use of keys': `with used as (select * from unnest($1::uuid[], $2::timestamptz[]) as used (id, at)),
      free as (select id from api_keys where id in (select id from used) for no key update skip locked)
      update api_keys set last_used_at = greatest(last_used_at, used.at) from used join free using (id)
      where api_keys.id = used.id`,
  },
  'where rows are locked, each query names the directory as `directory_id = $n`': {
    'codes over several directories, in another form than the one that is excepted': `
      with asked as (select * from unnest($2::uuid[], $1::uuid[]) as a (id, directory_id)),
      locked as (select o.* from asked cross join lateral (
        select * from otps where directory_id = asked.directory_id and id = asked.id for update) o)
      select id from locked`,
    'a challenge, with a sublink over the grace period': `
      with person as (
        select id from users where directory_id = $1 and id = $2 and coalesce((
          select count(*) from mfa_grace where mfa_grace.directory_id = users.directory_id), 0) = $3::int
        for update)
      insert into mfa_challenges (directory_id, id, user_id) select $1::uuid, $4::uuid, person.id from person`,
    'a user by id alone': 'select "id" from "users" where "id" = $1 for update',
  },
  'rows are locked in a query of their table alone, not in a join with a `with`: use `lateral`': {
    'failures that a sign-in clears': `with ready as materialized (select $2::bytea as failed, $3::text[] as networks),
      held as (select l.identity, l.network from ready join lockouts l on l.directory_id = $1
        and l.identity = ready.failed and l.network = any(ready.networks)
        order by l.identity, l.network desc for update of l)
      delete from lockouts using held where lockouts.directory_id = $1 and lockouts.identity = held.identity`,
  },
  'no clock_now() in `on conflict`: `excluded` has the time': {
    'a rate limit': `insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
      values ($1, $2, $3, clock_now(), 1)
      on conflict (directory_id, bucket, identity) do update set
        window_started_at = case when c.window_started_at <= $4 then clock_now() else c.window_started_at end
      returning 1`,
    'an idempotency key': `insert into idempotency_keys as i (api_key_id, route, key) values ($1, $2, $3)
      on conflict (api_key_id, route, key) do update set status = null
        where i.created_at < clock_now() - interval '24 hours' returning created_at`,
    settings: `insert into "auth_settings" ("directory_id", "settings") values ($1, $2)
      on conflict ("directory_id") do update set "updated_at" = clock_now() returning "settings"`,
    users: `insert into "users" ("directory_id", "id") values ($1, $2)
      on conflict ("directory_id", "email_norm") where "deleted_at" is null do update set "email" = "excluded"."email"
      where users.pending_until <= clock_now() returning *`,
  },
  'no query in `on conflict`': {
    'rate limits with windows of their own': `
      with asked (bucket, window_seconds) as (values ($1, $2::int))
      insert into rate_counters as c (directory_id, bucket, identity, count) select $3::uuid, bucket, $4, 1 from asked
      on conflict (directory_id, bucket, identity) do update set count = case when excluded.window_started_at
        - c.window_started_at >= make_interval(secs => (select window_seconds from asked where asked.bucket = c.bucket))
        then 1 else c.count + 1 end`,
  },
  'what is not immutable, as jsonb_build_object() and time ± interval, not in `on conflict`': {
    'a lock': `insert into lockouts as l (directory_id, identity) values ($1, $2)
      on conflict (directory_id, identity) do update
      set locked_until = case when l.failures > $3 then excluded.window_started_at + make_interval(secs => $4) end`,
    'a day': `insert into lockouts as l (directory_id, identity) values ($1, $2)
      on conflict (directory_id, identity) do update set locks = 0
      where l.window_started_at <= excluded.window_started_at - interval '1 day'`,
  },
  'no clock_now() in `case` or `coalesce` of a write: take it from a `with`': {
    'a policy': `update mfa_policies set require_mfa = $1, required_since = case when $1::boolean
        then coalesce(required_since, clock_now()) else required_since end
      where directory_id = $2 returning version`,
    'codes judged': `update otps set used_at = case when verdict = 'match' then clock_now() else used_at end
      from judged where otps.directory_id = $1 and otps.id = judged.id`,
    'a grace period': `insert into mfa_grace (directory_id, user_id, ends_at)
      select directory_id, id, greatest(users.created_at, coalesce($1::timestamptz, clock_now())) from users
      where directory_id = $2 and id = $3 on conflict (directory_id, user_id) do nothing returning ends_at`,
  },
  'no time ± interval in `case` or `coalesce` of a write: compare a difference of times': {
    'a sign-in that is counted': `with ready as materialized (select $2::uuid as user_id, clock_now() as at)
      update users set sign_ins = case when (users.sign_ins_since is null
        or users.sign_ins_since <= ready.at - interval '60 seconds') then 1 else users.sign_ins + 1 end
      from ready where users.directory_id = $1 and users.id = ready.user_id returning users.id`,
  },
  'no clock_now() in `returning`: judge in an outer select': {
    'a user': `update "users" set "active" = $1 where "directory_id" = $2 and "id" = $3
      returning *, coalesce(users.locked_until > clock_now(), false) as "locked"`,
    'an attempt at a code': `with claimed as (update otps set attempts = attempts + 1 where directory_id = $1 and id = $4
        returning id, case when expires_at <= clock_now() then 'expired' else 'match' end as verdict)
      select verdict from claimed`,
    'an attempt at an app': `update totp_enrollments set attempts = attempts + 1 where directory_id = $1 and user_id = $2
      returning id, extract(epoch from clock_now())::float8 as now_seconds`,
  },
  'no volatile function, as pg_advisory_xact_lock(), in `returning`, `on conflict`, `update` or `delete`': {
    'a connection': `insert into "sso_connections" ("directory_id", "id") values ($1, $2)
      returning *, pg_advisory_xact_lock(hashtext('watchword.connections'), hashtext($3)) as "held"`,
    'an id that is drawn': 'update users set auth_account_id = gen_random_uuid() where directory_id = $1 and id = $2',
  },
  'no query in `returning`': {
    'an attempt at a challenge': `update mfa_challenges set attempts = attempts + 1 where directory_id = $1 and id = $2
      returning id, (select phone from mfa_phones p where p.directory_id = mfa_challenges.directory_id
        and p.user_id = mfa_challenges.user_id) as phone`,
  },
  'what is not immutable, as jsonb_build_object() and time ± interval, of no column in `update` or `delete`': {
    'roles that were lost before': `with lost as (select email_norm, min(role_since) as since from members
        where account_id = $1 group by email_norm)
      delete from former_team_roles former using lost where former.account_id = $1
        and former.email_norm = lost.email_norm and former.until > lost.since - interval '30 days'`,
    'a refresh': `update sessions set generation = sessions.generation + 1,
        idle_expires_at = least(expires_at, clock_now() + make_interval(secs => locked.idle_seconds))
      from locked where sessions.directory_id = $1 and sessions.id = locked.id returning sessions.id`,
    'a group of settings': `update "auth_settings" set "settings" = jsonb_strip_nulls("settings" || $1::jsonb
        || jsonb_build_object($2::text, coalesce("settings" -> $2::text, '{}') || $3::jsonb))
      where "directory_id" = $4 returning "settings"`,
  },
  'tablesample, grouping sets, rollup and cube only of one directory': {
    'a part of all users': 'select id from users tablesample system (1)',
    'users by organization and in all': 'select directory_id, count(*) from users group by rollup (directory_id)',
  },
  'a clean-up over all directories repeats its condition outside the `in`': {
    retention: `delete from "rate_counters" where ("directory_id", "bucket") in (
      select "directory_id", "bucket" from "rate_counters" where window_started_at < clock_now() - interval '2 days'
      limit $1 for update skip locked)`,
    'kept answers': `delete from "idempotency_keys" where ("api_key_id", "key") in (
      select "api_key_id", "key" from "idempotency_keys" where created_at < clock_now() - interval '24 hours' limit $1)`,
    'expired sign-ups': `delete from users where (directory_id, id) in (
      select directory_id, id from users where pending_until <= clock_now() and deleted_at is null
      limit $1 for update skip locked) returning *`,
    invitations: `update links set closed_at = clock_now() where (directory_id, id) in (
      select directory_id, id from links where purpose = $1 and used_at is null and expires_at <= clock_now()
      order by expires_at limit $2 for update skip locked) returning id, directory_id`,
    'another condition': `delete from links where expires_at < $1 and (directory_id, id) in (
      select directory_id, id from links where expires_at < clock_now() limit $2)`,
  },
  'a write names its directory as `directory_id = $n`': {
    'a session by id alone': 'update "sessions" set "revoked_at" = clock_now() where "id" = $1',
    'all codes of a table': 'delete from otps where created_at < clock_now()',
  },
  'no row moves by `set directory_id`': {
    passwords: `update "password_credentials" set "directory_id" = $1 where "directory_id" = $2 and "user_id" = $3`,
    'after another column': `update passkeys set counter = $1, directory_id = $2 where directory_id = $3`,
  },
  'no query of distributed rows for each row of a table that is on every server': {
    'users of organizations': `select "id", (select count(*) from users u join directories d on d.id = u.directory_id
        where d.organization_id = organizations.id and d.environment_id = $1) as "user_count"
      from "organizations" where "account_id" = $2`,
  },
  'an `insert … select` without `from` is not decided by a parameter: decide in code': {
    'an act of a ceiling': `insert into rate_counters as c (directory_id, bucket, identity, window_started_at, count)
      select $1::uuid, $2, $3::bytea, clock_now(), 1 where $4::int > 0
      on conflict (directory_id, bucket, identity) do update set count = c.count + 1 returning 1`,
  },
  'a query in the select list compares its `directory_id` with that of the row: join any other': {
    'the services that a session inherits': `select sessions.id, (select inherited.enabled_app_ids
        from service_configs inherited join directories levels on levels.id = inherited.directory_id
        where levels.environment_id = $1) as services
      from sessions where sessions.environment_id = $1 order by sessions.created_at limit $2`,
  },
}
