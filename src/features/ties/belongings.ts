import { type Belonging, goes, isPending } from '../../platform/belongings.ts'

const ties: Belonging = {
  table: 'federated_sessions',
  proof: goes('federated_sessions'),
  cutOff: { stays: 'Whose session has ended here may still want to end the one at the provider.' },
  removal: goes('federated_sessions'),
  move: goes('federated_sessions'),
  isAbsent: isPending,
}

/** What a user has of sign-ins at providers that a session came from. */
export const tieBelongings: Belonging[] = [ties]
