import { type Belonging, deletes, exportsColumns, isPending } from '../../../platform/lifecycle/belongings.ts'

const federatedSessions: Belonging = {
  table: 'federated_sessions',
  proof: deletes('federated_sessions'),
  cutOff: { kept: 'Whose session has ended here may still want to end the one at the provider.' },
  removal: deletes('federated_sessions'),
  move: deletes('federated_sessions'),
  exports: exportsColumns(
    'federated_sessions',
    'id',
    'id identity_id session_ends_at expires_at',
    'logout_sealed name_hash provider_session_hash',
  ),
  isAbsent: isPending,
}

/** What a user has of sign-ins at providers that a session came from. */
export const federatedSessionBelongings: Belonging[] = [federatedSessions]
