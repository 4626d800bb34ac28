-- Passkeys (WebAuthn Level 3). `credential_id` is base64url, as browsers write it; `public_key` a COSE key.
create table passkeys (
  directory_id uuid not null references directories (id),
  id uuid not null,
  user_id uuid not null,
  credential_id text collate "C" not null,
  public_key bytea not null,
  -- The signature counter of the authenticator; many keep none and stay at 0.
  counter bigint not null,
  transports text[] not null,
  device_type text not null check (device_type in ('singleDevice', 'multiDevice')),
  backed_up boolean not null,
  aaguid uuid not null,
  device_name text,
  -- A passkey works for the relying party alone that it was made for.
  rp_id text not null,
  user_handle bytea not null,
  created_at timestamptz not null default clock_now(),
  last_used_at timestamptz,
  primary key (directory_id, id)
);
create unique index passkeys_by_credential on passkeys (directory_id, credential_id);
create index passkeys_by_user on passkeys (directory_id, user_id, created_at, id);

-- Challenges on their way to a browser. Each is good for one answer, right or wrong.
create table webauthn_ceremonies (
  directory_id uuid not null references directories (id),
  id uuid not null,
  kind text not null check (kind in ('registration', 'login')),
  -- Empty where nobody has the address, where they have no passkey, and where no address was given.
  user_id uuid,
  -- Keyed hash of the address that the sign-in is for.
  identity bytea,
  challenge bytea not null,
  rp_id text not null,
  created_at timestamptz not null default clock_now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (directory_id, id)
);
create index webauthn_ceremonies_by_user on webauthn_ceremonies (directory_id, user_id) where user_id is not null;
create index webauthn_ceremonies_by_expiry on webauthn_ceremonies (expires_at);

create table passkey_settings (
  directory_id uuid primary key references directories (id),
  settings jsonb not null,
  updated_at timestamptz not null default clock_now()
);
create index passkey_settings_by_rp_id on passkey_settings ((settings ->> 'rp_id'));

alter table users add column passkey_count integer not null default 0;
