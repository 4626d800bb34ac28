-- A key is looked up by its keyed hash, which has had a unique index from the beginning; `start` is for people alone.
drop index api_keys_by_start;
