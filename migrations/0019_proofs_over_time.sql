-- A sign-up code for an address of no user, who is made when it is redeemed.
alter table otps add column signs_up boolean not null default false;

-- The user's epoch when the first factor of a challenge was proved: whatever has cut the user off since ends the challenge.
-- Null for challenges of an earlier release, which live five minutes.
alter table mfa_challenges add column user_epoch integer;
