import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp } from '../../../../test/harness.ts'
import { broughtBack, makeSamlOrganization, postResponse } from '../../../../test/people/saml-connection.ts'
import { countMessageThreads } from '../xml/message-pool.ts'

const app = await startApp()
const tenant = await app.tenant()
const [flooding, other] = [await makeSamlOrganization(app, tenant), await makeSamlOrganization(app, tenant)]
type Organization = typeof other
const PLACES_OF_ONE = 32
const FLOOD = PLACES_OF_ONE + 8
// Checking such a response takes a thread a hundred times as long as usual.
const groups = Array.from({ length: 800 }, (_, n) => `group ${n}`)

/** A response to a sign-in in progress, which can be posted repeatedly. */
async function responseOf(organization: Organization, attributes: Record<string, string[]> = {}) {
  const start = await organization.start()
  // Each response is for a different person, since each person's sign-ins are rate limited.
  const xml = organization.respond(start, { attributes, nameId: `${fresh()}@${organization.domain}` })
  return () => postResponse(app, new URL(organization.sp.acs_url).pathname, xml, start.state)
}

test('what anybody can send takes no place from the answers to sign-ins of the organization', async () => {
  await flooding.change({ allow_idp_initiated: true })
  const path = new URL(flooding.sp.acs_url).pathname
  // The signature is invalid, which is found only in a thread.
  const garbage = flooding.respond(null, { attributes: { groups } }).replace(/(?<=<ds:SignatureValue>)...../, 'AAAAA')
  const asked = await responseOf(flooding)
  const flood = Array.from({ length: FLOOD }, () => postResponse(app, path, garbage, null))
  // The refusals for lack of a place come back first. When one arrives, all places are taken.
  await Promise.race(flood)
  expect(broughtBack(await asked())).toHaveProperty('access_token')
  const statuses = (await Promise.all(flood)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([400, 503]))
})

test('a flood of one organization fills its own places, and the response of another one does not wait behind it', async () => {
  const flood = await Promise.all(Array.from({ length: FLOOD }, () => responseOf(flooding, { groups })))
  const quick = await responseOf(other)
  let answered = 0
  const flooded = flood.map(async (post) => ({ post, reply: await post().finally(() => answered++) }))
  // The refusals for lack of a place come back first. When one arrives, all places are taken.
  await Promise.race(flooded)
  const reply = await quick()
  const before = answered
  expect(broughtBack(reply)).toHaveProperty('access_token')
  const replies = await Promise.all(flooded)
  const refused = replies.filter(({ reply: { status } }) => status !== 303)
  const accepted = replies.filter(({ reply: { status } }) => status === 303)
  expect(refused.length).toBeGreaterThan(0)
  expect(before).toBeLessThan(refused.length + accepted.length / 2)
  for (const each of accepted) expect(broughtBack(each.reply)).toHaveProperty('access_token')
  // A refusal has used nothing up, so the browser can send the same form again.
  for (const each of refused) {
    expect([each.reply.status, each.reply.headers.get('retry-after')]).toEqual([503, '1'])
    expect(broughtBack(await each.post())).toHaveProperty('access_token')
  }
  expect(countMessageThreads(app.app.platform)).toBeGreaterThan(0)
})
