-- The key by which the identity provider of development signs (/dev/idp). Empty in production.
create table dev_idp_keys (
  -- One row.
  id smallint primary key default 1 check (id = 1),
  certificate text not null,
  private_key_sealed text not null
);
