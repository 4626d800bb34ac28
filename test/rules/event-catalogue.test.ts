import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { isErased } from '../../src/platform/events/erased.ts'
import { eventCatalogue } from '../../src/platform/events/events.ts'
import { routes } from '../../src/wiring/routes.ts'
import { startApp } from '../harness.ts'
import { startDnsPeer } from '../peers/dns-peer.ts'
import { startReceiver } from '../peers/webhook-receiver.ts'
import { nameOf, orgWideOnly, sampleOf, sendSample } from '../walkers/samples.ts'
import { makeWorldFor } from '../walkers/world.ts'
import { occasions } from './event-occasions.ts'

const [dns, peer] = [await startDnsPeer(), await startReceiver()]
const app = await startApp({ env: { WATCHWORD_DNS_SERVER: dns.address, WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const catalogue = eventCatalogue()

/** Types that were raised, each time with data of their schema. */
async function raisedIn(accountId: string): Promise<string[]> {
  // Without those of an erased organization, of which no data is left.
  const events = (await app.events({ accountId })).filter((event) => !isErased(event))
  for (const { type, data } of events) {
    const definition = catalogue.find((each) => each.type === type)
    expect([type, definition && [...Value.Errors(definition.data, data)]]).toEqual([type, []])
  }
  return events.map(({ type }) => type)
}

// Before anything moves the clock, by which samples make codes. A route raises what it declares: anything else fails in tests.
test('what no occasion raises is raised by the sample of a route', { timeout: 60_000 }, async () => {
  const account = await app.tenant()
  const raised = new Set<string>()
  for (const route of routes.filter(
    ({ auth, events, maybeEvents }) => auth === 'key' && events.length + maybeEvents.length > 0,
  )) {
    // With a key of the account some change what all of it inherits.
    const isOfAccount = orgWideOnly.includes(nameOf(route))
    const tenant = isOfAccount ? await app.tenant() : account
    const world = await makeWorldFor(app, tenant, route)
    await sendSample(isOfAccount ? world.orgWide : world.scoped, route, sampleOf(route, world))
    if (isOfAccount) for (const type of await raisedIn(tenant.accountId)) raised.add(type)
  }
  for (const type of await raisedIn(account.accountId)) raised.add(type)
  const missing = catalogue.filter(({ type }) => !raised.has(type)).map(({ type }) => type)
  expect(missing).toEqual(Object.keys(occasions).toSorted())
})

const makers = Map.groupBy(Object.entries(occasions), ([, raise]) => raise)
const cases = [...makers].map(([raise, entries]) => [entries.map(([type]) => type), raise] as const)

test.each(cases)('%j happens', async (types, raise) => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const caller = await tenant.withKey({ subOrgId })
  await raise({ app, tenant, subOrgId, caller, dns, peer })
  expect(await raisedIn(tenant.accountId)).toEqual(expect.arrayContaining(types))
})
