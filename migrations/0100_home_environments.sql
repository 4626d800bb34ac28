-- The environment that an organization belongs to. Null for production, whose organizations every environment uses; an
-- organization of another environment exists there alone. Also null for what the release before creates meanwhile.
alter table organizations add column home_environment_id uuid references environments (id);
