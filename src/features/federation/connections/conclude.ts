import type { Redirect } from '../../../platform/http/answer.ts'
import { newId } from '../../../platform/ids.ts'
import type { Work } from '../../../platform/work.ts'
import type { Begun } from '../federation/begin/begin.ts'
import { codeOf, settleFederated } from '../federation/complete/complete.ts'
import { type FederatedPerson, FederationFailure, failFederated } from '../federation/federation.ts'
import { type KnownConnection, rulesOf } from './known/known.ts'
import { recordTrace } from './traces.ts'

/**
 * The end of a sign-in by a connection whose provider has been heard and checked: what becomes of the person, and the
 * trace of it. `said` is what people read there.
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

/** The end of one that failed before that. Throws what is no failure of a sign-in. */
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
