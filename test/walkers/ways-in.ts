import type { Route } from '../../src/platform/http/route.ts'
import { routes } from '../../src/wiring/routes.ts'
import { codeOf, makeProvenUser, signInByLink, succeeded } from '../people/factors.ts'
import { nameOf, type SampleRequest, sampleOf } from './samples.ts'
import type { World } from './world.ts'

// Into an organization that is not there before: its own test asks the gates.
const FOUNDING = 'POST /v1/auth/discovery/create'

/** The routes that answer a session, by their names. */
export const waysIn = routes
  .filter((route) => JSON.stringify(route.replies[200] ?? {}).includes('"refresh_token"'))
  .map((route) => [nameOf(route), route] as const)
  .filter(([name]) => name !== FOUNDING)

/** A request that comes in by this route, if nothing stops it. */
export async function entryBy(route: Route, world: World): Promise<SampleRequest> {
  if (nameOf(route) !== 'PUT /v1/mfa/totp') return sampleOf(route, world)
  // Its sample confirms an app of someone who is signed in already: a way in it is with a challenge.
  const { scoped } = world
  const { id: userId, email } = await makeProvenUser(scoped)
  succeeded(await scoped.patch('/v1/mfa/policy', { require_mfa: true, grace_period_days: 0 }))
  const { challenge_token } = succeeded(await signInByLink(scoped, email))
  const { pendingId, secret } = succeeded(await scoped.post('/v1/mfa/totp', { userId }))
  return { body: { userId, pendingId, challenge_token, code: codeOf(secret) } }
}
