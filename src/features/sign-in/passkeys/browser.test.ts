import { once } from 'node:events'
import { createServer } from 'node:http'
import { decodeJwt } from 'jose'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { openBrowser } from '../../../../test/peers/browser.ts'
import { registrationOptions, signInOptions } from '../../../../test/people/passkeys.ts'

// Runs a real browser with a virtual authenticator, on pages of an application that calls the API from its backend.

const app = await startApp()
const tenant = await app.tenant()
const browser = await openBrowser()
const VERIFY = '/v1/auth/login/passkey/verify'

/** The code of the pages in docs/sign-in/passkeys.md. */
const PAGE = `<!doctype html><title>Acme</title>
<input autocomplete="username webauthn" aria-label="Email">
<script>
  async function create(options) {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    return (await navigator.credentials.create({ publicKey })).toJSON()
  }
  async function get(options, mediation) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    return (await navigator.credentials.get({ publicKey, mediation })).toJSON()
  }
</script>`

async function servePage(): Promise<number> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(PAGE)
  })
  server.listen(0)
  await once(server, 'listening')
  afterAll(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const [home, stranger] = [await servePage(), await servePage()]

interface Device {
  page: Page
  cdp: CDPSession
  authenticatorId: string
}

/** Opens a separate browser at a page, with a platform authenticator that responds without a prompt. */
async function openDevice(origin: string, userVerified = true): Promise<Device> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(origin)
  const cdp = await context.newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: userVerified,
      automaticPresenceSimulation: true,
    },
  })
  return { page, cdp, authenticatorId }
}

const create = ({ page }: Device, options: unknown): Promise<unknown> =>
  page.evaluate(`create(${JSON.stringify(options)})`)

const get = ({ page }: Device, options: unknown, mediation = 'optional'): Promise<unknown> =>
  page.evaluate(`get(${JSON.stringify(options)}, '${mediation}')`)

async function newOrganization() {
  const subOrgId = await tenant.organization()
  const origins = [`http://localhost:${home}`]
  const reply = await tenant.patch('/v1/auth/passkey/settings', { subOrgId, origins })
  expect(reply.status, reply.text).toBe(200)
  return subOrgId
}

async function registered(subOrgId: string, email: string) {
  const device = await openDevice(`http://localhost:${home}`)
  const { user } = (await tenant.post('/v1/users', { subOrgId, email })).body
  const { options, challengeId } = await registrationOptions(tenant, subOrgId, user.id)
  const credential = await create(device, options)
  const body = { subOrgId, userId: user.id, action: 'verify', challengeId, credential }
  const reply = await tenant.post('/v1/auth/passkey/register', body)
  expect(reply.status, reply.text).toBe(200)
  return { device, subOrgId, email, userId: user.id as string, credential: reply.body.credential }
}

test('a browser registers a passkey and signs in with it, by address and by autofill', async () => {
  const person = await registered(await newOrganization(), 'ada@example.com')
  const { subOrgId, email, device } = person
  expect(person.credential).toMatchObject({ transports: ['internal'], deviceType: 'singleDevice', backedUp: false })
  const { options, challengeId } = await signInOptions(tenant, subOrgId, email)
  const credential = await get(device, options)
  const reply = await tenant.post(VERIFY, { subOrgId, email, challengeId, credential })
  expect(reply.status, reply.text).toBe(200)
  expect(decodeJwt(reply.body.session.access_token)).toMatchObject({ aal: 'aal2', directory_user_id: person.userId })
  const conditional = await signInOptions(tenant, subOrgId, '')
  const chosen = await get(device, conditional.options, 'conditional')
  const sent = { subOrgId, email: '', challengeId: conditional.challengeId, credential: chosen }
  const filled = await tenant.post(VERIFY, sent)
  expect(filled.body.session?.directory_user_id, filled.text).toBe(person.userId)
  expect((await tenant.post(VERIFY, sent)).body.code).toBe('passkey_invalid')
})

test('a device that has a passkey of the user makes no second one', async () => {
  const { device, subOrgId, userId } = await registered(await newOrganization(), 'bob@example.com')
  const { options } = await registrationOptions(tenant, subOrgId, userId)
  await expect(create(device, options)).rejects.toThrow('InvalidStateError')
})

test('a page of another port or host gets nowhere', async () => {
  const subOrgId = await newOrganization()
  const { device, email } = await registered(subOrgId, 'cyd@example.com')
  await device.page.goto(`http://localhost:${stranger}`)
  const { options, challengeId } = await signInOptions(tenant, subOrgId, email)
  const credential = await get(device, options)
  const reply = await tenant.post(VERIFY, { subOrgId, email, challengeId, credential })
  expect([reply.status, reply.body.code]).toEqual([401, 'passkey_invalid'])
  await device.page.goto(`http://127.0.0.1:${home}`)
  const again = await signInOptions(tenant, subOrgId, email)
  await expect(get(device, again.options)).rejects.toThrow('SecurityError')
})

test('without fingerprint, face or PIN the browser signs nothing, and what it signs is not taken', async () => {
  const subOrgId = await newOrganization()
  const { device, email } = await registered(subOrgId, 'dan@example.com')
  const { cdp, authenticatorId } = device
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  const { options, challengeId } = await signInOptions(tenant, subOrgId, email)
  await expect(get(device, options)).rejects.toThrow('NotAllowedError')
  const credential = await get(device, { ...options, userVerification: 'discouraged' })
  const reply = await tenant.post(VERIFY, { subOrgId, email, challengeId, credential })
  expect([reply.status, reply.body.code]).toEqual([401, 'passkey_invalid'])
})

test('the passkey of another person, and a challenge of before, are refused', async () => {
  const subOrgId = await newOrganization()
  const eve = await registered(subOrgId, 'eve@example.com')
  const fay = await registered(subOrgId, 'fay@example.com')
  const fays = await signInOptions(tenant, subOrgId, fay.email)
  const eves = await signInOptions(tenant, subOrgId, eve.email)
  const own = await get(eve.device, eves.options)
  const swapped = { ...fays.options, allowCredentials: eves.options.allowCredentials }
  const others = await get(eve.device, swapped)
  const verify = async (email: string, challengeId: string, credential: unknown) =>
    (await tenant.post(VERIFY, { subOrgId, email, challengeId, credential })).body
  expect((await verify(fay.email, fays.challengeId, others)).code).toBe('passkey_invalid')
  expect((await verify(eve.email, eves.challengeId, own)).session.directory_user_id).toBe(eve.userId)
  expect((await verify(eve.email, eves.challengeId, own)).code).toBe('passkey_invalid')
  const next = await signInOptions(tenant, subOrgId, eve.email)
  expect((await verify(eve.email, next.challengeId, own)).code).toBe('passkey_invalid')
})
