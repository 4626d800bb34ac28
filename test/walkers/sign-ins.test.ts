import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { sendSample } from './samples.ts'
import { entryBy, waysIn } from './ways-in.ts'
import { makeWorldFor } from './world.ts'

// What every sign-in says of itself, whatever the method. Sign-ins by a connection have a test of their own.

const app = await startApp()

test.each(waysIn)('%s: a session that comes of no connection says so', async (_, route) => {
  const tenant = await app.tenant()
  const world = await makeWorldFor(app, tenant, route)
  const { session } = succeeded(await sendSample(world.scoped, route, await entryBy(route, world)))
  const { sid, connection_id } = decodeJwt(session.access_token)
  const events = await app.events({ accountId: tenant.accountId, type: 'session.created' })
  const created = events.filter(({ target_id }) => target_id === sid)
  expect([connection_id, created.map(({ data }) => data)]).toEqual([
    null,
    [expect.objectContaining({ connection_id: null })],
  ])
})
