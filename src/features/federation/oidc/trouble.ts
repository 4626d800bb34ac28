import { type Breaker, createBreaker } from '../../../platform/limits/breaker.ts'
import { createShares } from '../../../platform/limits/shares.ts'
import { OutboundFailure, type OutboundReason } from '../../../platform/outbound/http.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { Asker } from './provider.ts'

/** However slow an answer within the limit is, it is one: to refuse it would make none of slow sign-ins. */
const PATIENCE = { failures: 3, restMs: 30_000, probes: 1 }
/** Of connections in trouble, or being asked. */
const MAX_BREAKERS = 4096

/**
 * No answer at all. Error answers and oversized answers count as answers: otherwise a stranger could send codes that
 * make the provider fail, and block all users from it.
 */
const SILENCE: ReadonlySet<OutboundReason> = new Set(['timeout', 'unreachable', 'tls', 'bad_answer'])

const breakers = perPlatform(() => createShares<Breaker>(MAX_BREAKERS))

/**
 * Calls a provider unless it left the last requests of this connection unanswered. In that case requests fail at once
 * until a pause has passed; then a single request tests the provider. Throws FederationFailure, and what `ask` throws.
 */
export async function withBreaker<T>(platform: Platform, asker: Asker, ask: () => Promise<T>): Promise<T> {
  const { directoryId, source } = asker
  const known = breakers(platform)
  // Process clock: how long this process sends no request to a provider that does not answer.
  const breaker = known.get(directoryId, source) ?? createBreaker(PATIENCE, () => platform.clock.now().getTime())
  const leave = breaker.enter()
  if (!leave)
    throw new FederationFailure(
      'idp_unreachable',
      `The provider was not asked: it left the last ${PATIENCE.failures} questions or more without an answer. Every ${PATIENCE.restMs / 1000} seconds one is asked.`,
    )
  known.set(directoryId, source, { value: breaker, weight: 1 })
  try {
    const answer = await ask()
    leave(true)
    return answer
  } catch (error) {
    leave(!(error instanceof OutboundFailure && SILENCE.has(error.reason)))
    throw error
  } finally {
    // Another one may have taken its place, since a test forgets trouble while questions are under way.
    if (breaker.isCalm() && known.get(directoryId, source) === breaker) known.delete(directoryId, source)
  }
}

/** The test of a connection must show the provider's present state. */
export function resetBreaker(platform: Platform, { directoryId, source }: Asker): void {
  breakers(platform).delete(directoryId, source)
}
