import { afterAll, expect, test } from 'vitest'
import { fresh } from '../../../../test/fresh.ts'
import { startApp, until } from '../../../../test/harness.ts'
import { startIdp } from '../../../../test/peers/saml-idp-peer.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  APPLICATION,
  broughtBack,
  postResponse,
  providerPair,
  verifyDomain,
} from '../../../../test/people/saml-connection.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { makeCertificate } from '../../../platform/crypto/certificates.ts'
import { findConnectionAnywhere } from '../connections/known/known.ts'
import { spKeys } from '../connections/sp-keys/sp-keys.ts'

// Two processes behind a load balancer: a sign-in may begin at one and end at the other.
const app = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
const second = await startSecondApp(app)
const platforms = [app.app.platform, second.app.platform]
const tenant = await app.tenant()
const idp = await startIdp({ pairs: [providerPair], serviceOrigin: app.baseUrl })
const nextPair = await makeCertificate({ commonName: 'next', years: 3, from: new Date() })

async function connect(more: Record<string, unknown>) {
  const subOrgId = await tenant.organization()
  const domain = `${fresh()}.example`
  await verifyDomain(app, tenant, subOrgId, domain)
  const fields = { name: 'Acme', protocol: 'saml', idp_metadata_url: idp.metadataUrl, ...more }
  const { connection } = succeeded(await tenant.post('/v1/sso/connections', { subOrgId, ...fields }))
  const path = `/v1/sso/connections/${connection.id}?subOrgId=${subOrgId}`
  const change = async (body: Record<string, unknown>) => succeeded(await tenant.patch(path, body)).connection
  await change({ status: 'active' })
  return { subOrgId, domain, id: String(connection.id), change }
}

type Process = Pick<typeof second, 'as' | 'baseUrl'>
type Connected = Awaited<ReturnType<typeof connect>>

/** Users who sign in without a pause from now on. */
function startLoad({ subOrgId, domain, id }: Connected) {
  let isOver = false
  const failed: unknown[] = []
  const counts = [0, 0]
  const signIn = async (from: Process, to: Process) => {
    const body = { subOrgId, connectionId: id, redirectUri: APPLICATION }
    const { authorization_url } = succeeded(await from.as(tenant.key).post('/v1/auth/login/sso/start', body))
    const { xml, relayState, action } = await idp.signIn(authorization_url, `${fresh()}@${domain}`)
    const came = broughtBack(await postResponse(to, new URL(action).pathname, xml, relayState))
    if (!('access_token' in came)) failed.push(came)
  }
  const people = [app, second].map(async (from, n) => {
    while (!isOver) {
      const to = (counts[n] ?? 0) % 2 === 0 ? app : second
      await signIn(from, to).catch((error: unknown) => failed.push(error))
      counts[n] = (counts[n] ?? 0) + 1
    }
  })
  const end = async () => {
    isOver = true
    await Promise.all(people)
  }
  afterAll(end)
  return {
    /** Waits until at both processes, sign-ins in progress have ended, and others have begun and ended since. */
    async goOn() {
      const before = [...counts]
      await until(async () => counts.every((count, n) => count >= (before[n] ?? 0) + 3))
    },
    async end() {
      await end()
      return failed
    },
  }
}

test('a provider rolls its certificate over, and not one sign-in fails at either process', async () => {
  const acme = await connect({})
  const load = startLoad(acme)
  const take = async (certificates: number) => {
    const { idp_certificates } = await acme.change({ idp_metadata_url: idp.metadataUrl })
    expect(idp_certificates).toHaveLength(certificates)
    // In production, days pass between these steps. Here the test waits until both processes know of the change.
    await until(async () => {
      const known = await Promise.all(platforms.map((platform) => findConnectionAnywhere(platform, acme.id)))
      return known.every((each) => each?.connection.idp_certificates.length === certificates)
    })
    await load.goOn()
  }
  await load.goOn()
  await idp.change({ pairs: [providerPair, nextPair] })
  await take(2)
  await idp.change({ pairs: [nextPair, providerPair] })
  await load.goOn()
  await idp.change({ pairs: [nextPair] })
  await take(1)
  expect(await load.end()).toEqual([])
  await idp.change({ pairs: [providerPair] })
})

test('the service rolls its keys over in three steps, and not one sign-in fails at either process', async () => {
  const acme = await connect({ want_assertions_encrypted: true })
  await idp.change({ isEncrypted: true })
  const load = startLoad(acme)
  const step = async (action: string, statuses: string[]) => {
    succeeded(await tenant.post('/v1/sso/keys', { action }))
    await until(async () => {
      const known = await Promise.all(platforms.map((platform) => spKeys(platform, tenant)))
      return known.every(({ signing }) => signing.map(({ status }) => status).join() === statuses.join())
    })
    await load.goOn()
  }
  await load.goOn()
  await step('prepare', ['current', 'next'])
  await step('activate', ['current', 'former'])
  await step('retire', ['current'])
  expect(await load.end()).toEqual([])
  await idp.change({ isEncrypted: false })
})
