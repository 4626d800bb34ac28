import { defineOutcome } from '../../platform/proofs.ts'

/** The session that a proof pays for. Its user is noted to have signed in. */
export const sessionOutcome = defineOutcome<{ auth_account_id: string; created_at: Date; expires_at: Date }>()({
  name: 'session',
  columns: {
    auth_method: 'text',
    amr: 'text[]',
    aal: 'text',
    refresh_hash: 'bytea',
    trusted_device_id: 'uuid',
    idle_seconds: 'int',
    max_seconds: 'int',
    organization_epoch: 'int',
  },
  signsIn: true,
  write: (directory) => `
    insert into sessions (directory_id, id, environment_id, user_id, auth_account_id, auth_method, amr, aal, ip_address,
      user_agent, refresh_hash, trusted_device_id, authenticated_at, created_at, last_active_at, idle_expires_at,
      expires_at, user_epoch, organization_epoch)
    select ${directory}, ready.made_id, ready.environment_id, ready.user_id, signed_in.auth_account_id,
      ready.auth_method, ready.amr, ready.aal, ready.ip_address, ready.user_agent, ready.refresh_hash,
      ready.trusted_device_id, ready.at, ready.at, ready.at,
      ready.at + make_interval(secs => least(ready.idle_seconds, ready.max_seconds)),
      ready.at + make_interval(secs => ready.max_seconds), signed_in.session_epoch, ready.organization_epoch
    from ready join signed_in on signed_in.directory_id = ready.directory_id and signed_in.user_id = ready.user_id
    returning id, auth_account_id, created_at, expires_at`,
  answers: () => 'made.auth_account_id, made.created_at, made.expires_at',
})
