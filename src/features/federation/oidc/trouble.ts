import { type Breaker, createBreaker } from '../../../platform/limits/breaker.ts'
import { createShares } from '../../../platform/limits/shares.ts'
import { OutboundFailure, type OutboundReason } from '../../../platform/outbound/http.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { FederationFailure } from '../federation/federation.ts'
import type { Asker } from './provider.ts'

/**
 * A slow response within the time limit does not count as a failure: slow sign-ins would otherwise become impossible.
 */
const PATIENCE = { failures: 3, restMs: 30_000, probes: 1 }
/** How many connections are tracked, namely those with a recent failure or an open request. */
const MAX_BREAKERS = 4096

/**
 * Failures without any response. Error responses and oversized responses do not count: otherwise a stranger could
 * send codes that make the provider fail, and so block the sign-in of all users.
 */
const SILENCE: ReadonlySet<OutboundReason> = new Set(['timeout', 'unreachable', 'tls', 'bad_answer'])

const breakers = perPlatform(() => createShares<Breaker>(MAX_BREAKERS))

/**
 * Calls a provider, unless it did not respond to the last requests of this connection. In that case requests fail at
 * once until a pause has passed; then a single request tests the provider. Throws FederationFailure, and what `ask`
 * throws.
 */
export async function withBreaker<T>(platform: Platform, asker: Asker, ask: () => Promise<T>): Promise<T> {
  const { directoryId, source } = asker
  const known = breakers(platform)
  // Process clock: this process alone measures how long it sends no request to a provider that does not respond.
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
    // There may be a new breaker, since a test of the connection removes the old one while requests are open.
    if (breaker.isCalm() && known.get(directoryId, source) === breaker) known.delete(directoryId, source)
  }
}

/** Allows the next request at once: the test of a connection must show the provider's current state. */
export function resetBreaker(platform: Platform, { directoryId, source }: Asker): void {
  breakers(platform).delete(directoryId, source)
}
