-- Where most organizations have one person, the planner expects one row of each, and any index that begins with the
-- organization looks as good as the one that leads to the row. PostgreSQL then reads all rows of an organization that has
-- many, and more of them for an address that nobody has, which the time of an answer tells. The same goes for environments
-- and accounts. Told that each has many rows, the planner takes the index with all the columns.

-- The locks hold up no request: they conflict only with vacuum, analysis and changes of the schema. An autovacuum gives way
-- after a second (deadlock_timeout), which is the time that others wait for a lock.
set local lock_timeout = '10s';

-- To be called for every new table with such a column.
create function expect_many_rows(of_table regclass) returns void language plpgsql as $$
declare
  plain name := (select relname from pg_class where oid = of_table);
  has_statistics boolean := (select reltuples > 0 from pg_class where oid = of_table);
  owner_column name;
begin
  -- Citus takes no such option: plans are made on its workers.
  if exists (select from pg_extension where extname = 'citus') then
    return;
  end if;
  for owner_column in
    select attname from pg_attribute
    where attrelid = of_table and attname in ('account_id', 'environment_id', 'directory_id') and not attisdropped
  loop
    -- Below zero it is a share of the rows: one owner for every thousand of them, however large the table is.
    execute format('alter table %s alter column %I set (n_distinct = -0.001)', of_table, owner_column);
    -- The option takes effect at the next analysis, and a new table has its first after dozens of rows. PostgreSQL 18 can be
    -- given the statistics at once.
    if not has_statistics and to_regproc('pg_catalog.pg_restore_attribute_stats') is not null then
      perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', plain::text,
        'attname', owner_column::text, 'inherited', false, 'version', current_setting('server_version_num')::int,
        'null_frac', 0::real, 'avg_width', 16, 'n_distinct', (-0.001)::real);
    end if;
  end loop;
  if has_statistics then
    execute format('analyze %s', of_table);
  end if;
end $$;

select expect_many_rows(name::regclass) from unnest(array[
  'api_keys', 'audit_blocks', 'audit_cursors', 'audit_heads', 'audit_settings', 'auth_settings', 'backup_codes',
  'data_keys', 'device_cursors', 'directories', 'domains', 'environments', 'event_counts', 'events', 'exchange_codes',
  'federated_sessions', 'federated_sign_ins', 'identities', 'impersonations', 'known_devices', 'links', 'lockouts',
  'logout_tokens', 'mail_outbox', 'mail_settings', 'member_roles', 'members', 'mfa_challenges', 'mfa_grace',
  'mfa_phones', 'mfa_policies', 'organizations', 'otp_settings', 'otps', 'passkey_settings', 'passkeys',
  'password_credentials', 'password_history', 'rate_counters', 'role_assignments', 'roles', 'saml_assertions',
  'scim_configs', 'scim_group_groups', 'scim_group_members', 'scim_groups', 'scim_logs', 'scim_tokens',
  'scim_user_emails', 'scim_users', 'service_configs', 'session_cut_offs', 'sessions', 'signing_keys', 'sms_outbox',
  'social_providers', 'sp_keys', 'sso_connections', 'sso_traces', 'totp_enrollments', 'trusted_devices', 'users',
  'webauthn_ceremonies', 'webhook_cursors', 'webhook_deliveries', 'webhook_queues', 'webhooks'
]) as name;
