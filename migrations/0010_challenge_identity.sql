-- The key under which wrong codes of the user are counted, so that one statement finds the challenge and counts there.
-- Null for challenges of an earlier release, which live five minutes: their sign-ins begin again.
alter table mfa_challenges add column failure_identity bytea;
