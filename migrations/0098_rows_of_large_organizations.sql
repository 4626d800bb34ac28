-- Where most organizations have one person, the planner expects one row of each, and any index that begins with the
-- organization looks as good as the one that leads to the row. It then reads all rows of an organization that has many, which
-- also takes longer for an address that nobody has. Told that each has many, it takes the index with all the columns. To be
-- called for every new table with such a column.
create function expect_many_rows(of_table regclass) returns void language plpgsql as $$
declare
  plain name := (select relname from pg_class where oid = of_table);
  is_analyzed boolean := (select reltuples > 0 from pg_class where oid = of_table);
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
    execute format('alter table %s alter column %I set (n_distinct = -0.001)', of_table, owner_column);
    -- It counts from an analysis on, which comes a minute after the first rows. PostgreSQL 18 can be told before.
    if not is_analyzed and to_regproc('pg_catalog.pg_restore_attribute_stats') is not null then
      perform pg_restore_attribute_stats('schemaname', current_schema()::text, 'relname', plain::text,
        'attname', owner_column::text, 'inherited', false, 'version', current_setting('server_version_num')::int,
        'null_frac', 0::real, 'avg_width', 16, 'n_distinct', (-0.001)::real);
    end if;
  end loop;
  if is_analyzed then
    execute format('analyze %s', of_table);
  end if;
end $$;

select expect_many_rows(oid) from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r';
