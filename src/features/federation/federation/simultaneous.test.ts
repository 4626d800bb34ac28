import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { add, identitiesOf, makeWorld, newLocal, peopleAt, type World } from '../../../../test/peers/introductions.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { arrived, callBack, startFederatedApp, start as startOidc } from '../../../../test/people/oidc-organization.ts'
import { startSecondApp } from '../../../../test/second-app.ts'

const service = await startFederatedApp()
const second = await startSecondApp(service.app)
const op = await startOpPeer()
const TABS = 6

/** The state of the person before the first sign-in. */
const people: Record<string, (world: World, email: string) => Promise<unknown>> = {
  'a new user': async () => undefined,
  'a user of the address, who has not proved it': async ({ key }, email) =>
    succeeded(await key.post('/v1/users', { email, firstName: 'A', lastName: 'B' })),
  'a provisioned user': (world, email) => add(world, { userName: email, externalId: fresh() }),
}

const cases = Object.keys(people).flatMap((who) =>
  (['query', 'code'] as const).flatMap((mode) =>
    [[] as string[], ['Admins']].map((groups) => [who, mode, groups] as const),
  ),
)

test.each(cases)(
  'every tab of a first sign-in comes in: %s, by %s, with groups %j',
  async (who, response_mode, groups) => {
    const world = await makeWorld(service, op, 'oidc', {
      jit_provisioning: true,
      group_role_mapping: { Admins: 'admin' },
    })
    const { at, key, connectionId } = world
    succeeded(await key.patch('/v1/auth/settings', { sign_in_rate_limit_per_minute: 100 }))
    const claims = { sub: fresh(), email: at(newLocal()), groups }
    await people[who]?.(world, claims.email)
    const tabs = await Promise.all(
      Array.from({ length: TABS }, () => startOidc({ key }, connectionId, { response_mode })),
    )
    const came = await Promise.all(
      tabs.map(async ({ authorization_url }, n) => {
        const { code, state } = op.signIn(authorization_url, claims)
        // The redirect URI comes from the start. Both processes serve it.
        const path = new URL(new URL(authorization_url).searchParams.get('redirect_uri') ?? '').pathname
        return arrived(await callBack(n % 2 === 0 ? service.app : second, { code, state }, path))
      }),
    )
    expect(came.flatMap(({ error = [] }) => error)).toEqual([])
    const [user, ...others] = await peopleAt(world, [claims.email])
    expect(others).toEqual([])
    const inside = await Promise.all(
      came.map(async ({ code, directory_user_id }) =>
        response_mode === 'query'
          ? directory_user_id
          : succeeded(await key.post('/v1/auth/token/exchange', { code })).session.directory_user_id,
      ),
    )
    expect(new Set(inside)).toEqual(new Set([user]))
    expect(await identitiesOf(world, user ?? '')).toHaveLength(1)
    const { role } = succeeded(await key.get(`/v1/users/${user}`)).user
    expect(role).toBe(groups.length > 0 ? 'admin' : 'member')
  },
)
