import { type Belonging, goes, isPending, tells } from '../../../platform/lifecycle/belongings.ts'

const ties: Belonging = {
  table: 'federated_sessions',
  proof: goes('federated_sessions'),
  cutOff: { stays: 'Whose session has ended here may still want to end the one at the provider.' },
  removal: goes('federated_sessions'),
  move: goes('federated_sessions'),
  exports: tells(
    'federated_sessions',
    'id',
    'id identity_id session_ends_at expires_at',
    'logout_sealed name_hash provider_session_hash',
  ),
  isAbsent: isPending,
}

/** What a user has of sign-ins at providers that a session came from. */
export const tieBelongings: Belonging[] = [ties]
