-- From where a key may be used: addresses and CIDRs; null for everywhere.
alter table api_keys add column allowed_ips text[];
