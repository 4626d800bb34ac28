import { expect, test } from 'vitest'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import {
  arrived,
  callBack,
  connect,
  provenOrganization,
  start,
  startFederatedApp,
} from '../../../../test/people/oidc-organization.ts'

const service = await startFederatedApp()
const { app } = service
const peer = await startOpPeer()
const home = await provenOrganization(service)
const connectionId = await connect(home, peer.url)
const now = () => Math.floor(app.app.platform.clock.now().getTime() / 1000)

/** Signs in with claims of the provider, such as the time of authentication. Returns how the sign-in ends. */
async function come(said: Record<string, unknown>, asked: Record<string, unknown> = { force_authn: true }) {
  const { authorization_url } = await start(home, connectionId, asked)
  const url = new URL(authorization_url)
  // The user can change the request to the provider in the browser, but not what is stored here.
  url.searchParams.delete('prompt')
  url.searchParams.delete('max_age')
  const back = peer.signIn(url.href, { sub: 'ada', email: `ada@${home.domain}`, ...said })
  return arrived(await callBack(app, { code: back.code, state: back.state }))
}

test('a start that demands to ask again asks for a sign-in of now', async () => {
  const ofUrl = async (asked: Record<string, unknown>) => {
    const { searchParams } = new URL((await start(home, connectionId, asked)).authorization_url)
    return [searchParams.get('prompt'), searchParams.get('max_age')]
  }
  expect(await ofUrl({ force_authn: true })).toEqual(['login', '0'])
  expect(await ofUrl({})).toEqual([null, null])
})

test('the answer must show that the provider has asked again', async () => {
  for (const auth_time of [null, 'now', String(now())])
    expect([auth_time, (await come({ auth_time }))['error']]).toEqual([auth_time, 'response_invalid'])
  for (const auth_time of [undefined, now() - 70, now() - 3600, 1])
    expect([auth_time, (await come({ auth_time }))['error']]).toEqual([auth_time, 'reauthentication_missing'])
  const { traces } = (await home.key.get(`/v1/sso/connections/${connectionId}/traces`)).body
  expect(traces[0]).toMatchObject({
    code: 'reauthentication_missing',
    said: { detail: expect.stringContaining('1970') },
  })
  for (const auth_time of [now(), now() - 50]) expect(await come({ auth_time })).toHaveProperty('access_token')
  // Without `force_authn`, an old authentication is accepted.
  expect(await come({ auth_time: now() - 3600 }, {})).toHaveProperty('access_token')
})

test('the start is what counts, however long the person takes', async () => {
  const { authorization_url } = await start(home, connectionId, { force_authn: true })
  const auth_time = now() + 5
  await app.advance(300)
  peer.behaviour.aheadSeconds = 300
  const { code, state } = peer.signIn(authorization_url, { sub: 'ada', email: `ada@${home.domain}`, auth_time })
  expect(arrived(await callBack(app, { code, state }))).toHaveProperty('access_token')
  await app.advance(-300)
  peer.calm()
})

test('what the connection demands is demanded of every start, as it was then', async () => {
  const patch = (force_authn: boolean) => home.key.patch(`/v1/sso/connections/${connectionId}`, { force_authn })
  await patch(true)
  expect((await come({}, {}))['error']).toBe('reauthentication_missing')
  expect(await come({ auth_time: now() }, {})).toHaveProperty('access_token')
  const { authorization_url } = await start(home, connectionId)
  await patch(false)
  const { code, state } = peer.signIn(authorization_url, { sub: 'ada', email: `ada@${home.domain}` })
  expect(arrived(await callBack(app, { code, state }))['error']).toBe('reauthentication_missing')
})
