-- Keys of requests belong to whoever manages: an API key, or a member of the team.
alter table idempotency_keys drop constraint idempotency_keys_api_key_id_fkey;
