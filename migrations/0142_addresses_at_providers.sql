-- The addresses that an identity provider stated at the link and at the last sign-in, unless it denied them. While both are the
-- same, a provisioning client that adds the person finds the user by it, whatever the user's own address is by then. Links of an
-- earlier release have none.
alter table identities add column linked_address_norm text;
alter table identities add column address_norm text;
-- The address and the assigned names as last stated, which stay while the provider states none: the person can leave them out.
alter table identities add column last_address_norm text;
alter table identities add column last_principal_names text[];
