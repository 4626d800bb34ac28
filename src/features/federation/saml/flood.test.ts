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
// Each takes a thread a hundred times as long as a usual one.
const groups = Array.from({ length: 800 }, (_, n) => `group ${n}`)

/** A response to a sign-in that has begun, to be posted as often as need be. */
async function responseOf(organization: Organization, attributes: Record<string, string[]> = {}) {
  const start = await organization.start()
  // Of a person each, since sign-ins of one have a rate.
  const xml = organization.respond(start, { attributes, nameId: `${fresh()}@${organization.domain}` })
  return () => postResponse(app, new URL(organization.sp.acs_url).pathname, xml, start.state)
}

test('what anybody can send takes no place from the answers to sign-ins of the organization', async () => {
  await flooding.change({ allow_idp_initiated: true })
  const path = new URL(flooding.sp.acs_url).pathname
  // Signed by nobody: each takes a thread to find that out.
  const garbage = flooding.respond(null, { attributes: { groups } }).replace(/(?<=<ds:SignatureValue>)...../, 'AAAAA')
  const asked = await responseOf(flooding)
  const flood = Array.from({ length: FLOOD }, () => postResponse(app, path, garbage, null))
  // The refusals come first, so that all places are taken by then.
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
  // The refusals come first, so that all places are taken by then.
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
  // Nothing was used up by a refusal: the browser sends the same form again.
  for (const each of refused) {
    expect([each.reply.status, each.reply.headers.get('retry-after')]).toEqual([503, '1'])
    expect(broughtBack(await each.post())).toHaveProperty('access_token')
  }
  expect(countMessageThreads(app.app.platform)).toBeGreaterThan(0)
})
