-- When a grace period of a member of the team began: when they got the first role that the policy covers. A role that is
-- given later, after that one is gone, has its own period. Null for users, and for periods of an earlier release, in whose
-- place their end is compared.
alter table mfa_grace add column began_at timestamptz;
