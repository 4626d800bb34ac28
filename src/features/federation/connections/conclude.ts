import type { Redirect } from '../../../platform/http/answer.ts'
import { newId } from '../../../platform/ids.ts'
import type { Work } from '../../../platform/work.ts'
import type { Begun } from '../federation/begin/begin.ts'
import { codeOf, settleFederated } from '../federation/complete/complete.ts'
import { type FederatedPerson, FederationFailure, failFederated } from '../federation/federation.ts'
import { type KnownConnection, rulesOf } from './known/known.ts'
import { recordTrace } from './traces.ts'

/**
 * Ends a sign-in through a connection after the provider's answer was checked: signs the user in or refuses, and
 * records a trace. `said` is what people see in the trace.
 */
export async function concludeSignIn(
  work: Work,
  begun: Begun,
  connection: KnownConnection,
  {
    person,
    groups,
    said,
  }: { person: FederatedPerson; groups: readonly string[] | null; said: Record<string, unknown> },
): Promise<Redirect> {
  const id = newId()
  const { redirect, code, detail } = await settleFederated(work, begun, person, {
    rules: rulesOf(connection, groups),
    traceId: id,
  })
  const shown = detail === null ? said : { detail, ...said }
  await recordTrace(work, connection, { id, code, is_test: begun.isTest, said: shown })
  return redirect
}

/** Ends a sign-in that failed before the answer was checked. Rethrows an error that is not a failure of the sign-in. */
export async function refuseSignIn(
  work: Work,
  begun: Begun,
  connection: KnownConnection | null,
  error: unknown,
): Promise<Redirect> {
  const code = codeOf(error)
  if (code === null) throw error
  const said = error instanceof FederationFailure ? { detail: error.detail } : {}
  const id = newId()
  if (connection) await recordTrace(work, connection, { id, code, is_test: begun.isTest, said })
  return failFederated(work, begun, code, connection ? { traceId: id } : {})
}
