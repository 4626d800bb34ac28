-- Where most organizations have one person, the planner expects one row of each, and any index that begins with the
-- organization looks as good as the one that leads to the row. PostgreSQL then reads all rows of an organization that has
-- many, and more of them for an address that nobody has, which the time of an answer tells. Told that each has a good part of
-- the table, the planner takes the index with all the columns.

-- The locks hold up no request: they conflict only with vacuum, analysis and changes of the schema. An autovacuum gives way
-- after a second (deadlock_timeout), which is the time that others wait for a lock.
set local lock_timeout = '10s';

-- To be called for every new table with a `directory_id`.
create function expect_many_rows(of_table regclass) returns void language plpgsql as $$
declare
  plain name := (select relname from pg_class where oid = of_table);
  has_statistics boolean := (select reltuples > 0 from pg_class where oid = of_table);
begin
  -- Citus takes no such option: plans are made on its workers.
  if exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  -- A twentieth of the table: enough that only an index of more columns will do, and little enough that the planner goes by the
  -- directory rather than through all of them.
  execute format('alter table %s alter column directory_id set (n_distinct = 20)', of_table);
  -- The option takes effect at the next analysis, and a new table has its first after dozens of rows. PostgreSQL 18 can be
  -- given the statistics at once.
  if has_statistics then
    execute format('analyze %s', of_table);
  elsif to_regproc('pg_catalog.pg_restore_attribute_stats') is not null then
    perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', plain::text,
      'attname', 'directory_id', 'inherited', false, 'version', current_setting('server_version_num')::int,
      'null_frac', 0::real, 'avg_width', 16, 'n_distinct', 20::real);
  end if;
end $$;

select expect_many_rows(name::regclass) from unnest(array[
  'audit_blocks', 'audit_heads', 'audit_settings', 'auth_settings', 'backup_codes', 'domains', 'event_counts',
  'events', 'exchange_codes', 'federated_sessions', 'federated_sign_ins', 'identities', 'impersonations',
  'known_devices', 'links', 'lockouts', 'logout_tokens', 'mail_outbox', 'mail_settings', 'member_roles',
  'mfa_challenges', 'mfa_grace', 'mfa_phones', 'mfa_policies', 'otp_settings', 'otps', 'passkey_settings', 'passkeys',
  'password_credentials', 'password_history', 'rate_counters', 'role_assignments', 'roles', 'saml_assertions',
  'scim_configs', 'scim_group_groups', 'scim_group_members', 'scim_groups', 'scim_logs', 'scim_tokens',
  'scim_user_emails', 'scim_users', 'service_configs', 'session_cut_offs', 'sessions', 'sms_outbox',
  'social_providers', 'sso_connections', 'sso_traces', 'totp_enrollments', 'trusted_devices', 'users',
  'webauthn_ceremonies', 'webhook_deliveries', 'webhook_queues', 'webhooks'
]) as name;

-- Before its first analysis the planner takes hardly any user for one that is not deleted, so that any index of those looks as if
-- it led to one row.
do $$
begin
  if to_regproc('pg_catalog.pg_restore_attribute_stats') is not null
    and not exists (select from pg_extension where extname = 'citus')
    and (select reltuples <= 0 from pg_class where oid = 'users'::regclass) then
    perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', 'users', 'attname', 'deleted_at',
      'inherited', false, 'version', current_setting('server_version_num')::int,
      'null_frac', 1::real, 'avg_width', 8, 'n_distinct', 0::real);
  end if;
end $$;
