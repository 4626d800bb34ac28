-- A code is for what the nouns define: the purposes are in the code, as those of links are.
alter table otps drop constraint otps_purpose_check;
alter table webauthn_ceremonies drop constraint webauthn_ceremonies_kind_check;
