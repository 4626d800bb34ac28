import { expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { makeWorld, newLocal } from '../../../../test/peers/introductions.ts'
import { startOpPeer } from '../../../../test/peers/op-peer.ts'
import { codeOf, enrollTotp, succeeded } from '../../../../test/people/factors.ts'
import { arrived, callBack, start, startFederatedApp } from '../../../../test/people/oidc-organization.ts'
import { serviceIds } from '../../tenancy/services/selection.ts'

const service = await startFederatedApp()
const { app, tenant } = service
const peer = await startOpPeer()

/** A user of a connection, and a function that switches the service. */
async function signedIn() {
  const { key, subOrgId, connectionId, at } = await makeWorld(service, peer, 'oidc', { jit_provisioning: true })
  const claims = { sub: fresh(), email: at(newLocal()) }
  const enter = async (fields: Record<string, unknown> = {}) => {
    const { authorization_url } = await start({ key }, connectionId, fields)
    const { code, state } = peer.signIn(authorization_url, claims)
    return arrived(await callBack(app, { code, state }))
  }
  const { directory_user_id: id = '' } = await enter()
  const turn = async (isOn: boolean) => {
    const enabledAppIds = serviceIds.filter((one) => isOn || one !== 'sso')
    succeeded(await tenant.put('/v1/organization-apps', { subOrgId, enabledAppIds }))
  }
  return { key, id, enter, turn }
}

test('a code that waits is not exchanged while the service is off', async () => {
  const { key, enter, turn } = await signedIn()
  const { code } = await enter({ response_mode: 'code' })
  await turn(false)
  const refused = await key.post('/v1/auth/token/exchange', { code })
  expect([refused.status, refused.body.code]).toEqual([403, 'service_disabled'])
  await turn(true)
  succeeded(await key.post('/v1/auth/token/exchange', { code }))
})

test('a challenge of a sign-in by the connection is not passed while the service is off', async () => {
  const { key, id, enter, turn } = await signedIn()
  const { secret } = await enrollTotp(key, id)
  const { challenge_token } = await enter()
  expect(challenge_token).toEqual(expect.any(String))
  await turn(false)
  const pass = () => key.post('/v1/mfa/challenge/verify', { challenge_token, code: codeOf(secret, 1) })
  const refused = await pass()
  expect([refused.status, refused.body.code]).toEqual([403, 'service_disabled'])
  await turn(true)
  succeeded(await pass())
})
