-- Codes that were guessed at, so that failures are counted however many codes were made since.
create index otps_failed_by_session on otps (directory_id, session_ref, created_at)
  where attempts > 0 and session_ref is not null;
create index otps_failed_by_identity on otps (directory_id, identity, purpose, created_at)
  where attempts > 0 and identity is not null;
