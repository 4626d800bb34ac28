import { expect, test } from 'vitest'
import { caller, startApp } from '../../../../../test/harness.ts'
import { newPasskey } from '../../../../../test/people/authenticator.ts'
import { newHolder, register } from '../../../../../test/people/passkeys.ts'
import { newEmail } from '../../../../../test/people/people.ts'
import { buildApp } from '../../../../wiring/app.ts'

const app = await startApp()
const tenant = await app.tenant()

interface Descriptor {
  type: string
  id: string
}

async function ask(subOrgId: string, email: string) {
  const reply = await tenant.post('/v1/auth/login/passkey/options', { subOrgId, email })
  expect(reply.status, reply.text).toBe(200)
  return reply
}

const allowed = async (subOrgId: string, email: string): Promise<Descriptor[]> =>
  (await ask(subOrgId, email)).body.options.allowCredentials

test('the options of an address that nobody has, or that has no passkey, have the form of the others', async () => {
  const subOrgId = await tenant.organization()
  const one = await newHolder(tenant, subOrgId)
  const two = await newHolder(tenant, subOrgId)
  await register(tenant, two, newPasskey({ credentialId: Buffer.alloc(20, 7) }))
  const none = newEmail()
  await tenant.post('/v1/users', { subOrgId, email: none })
  const emails = [one.email, two.email, none, ...Array.from({ length: 40 }, () => newEmail())]
  const shapes = new Map<number, Set<string>>()
  for (const email of emails) {
    const reply = await ask(subOrgId, email)
    const { options } = reply.body
    const { allowCredentials: list } = options
    // Everything except the ids and their lengths must be equal byte for byte.
    const bare = list.map((each: Descriptor) => ({ ...each, id: '' }))
    const rest = { ...reply.body, challengeId: '', options: { ...options, challenge: '', allowCredentials: bare } }
    const headers = [...reply.headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))
    const shape = JSON.stringify([reply.status, headers, rest, options.challenge.length])
    shapes.set(list.length, (shapes.get(list.length) ?? new Set()).add(shape))
    for (const { id } of list) {
      expect([16, 20, 32, 64]).toContain(Buffer.from(id, 'base64url').length)
      expect(Buffer.from(id, 'base64url').toString('base64url')).toBe(id)
    }
  }
  expect([...shapes.keys()].sort()).toEqual([1, 2])
  for (const forms of shapes.values()) expect(forms.size).toBe(1)
})

test('they stay the same for an address however it is typed, on every process, and differ in every directory', async () => {
  const [here, there] = [await tenant.organization(), await tenant.organization()]
  const email = newEmail()
  const first = await allowed(here, email)
  expect(await allowed(here, email.toUpperCase())).toEqual(first)
  expect(await allowed(there, email)).not.toEqual(first)
  expect(await allowed(here, `x${email}`)).not.toEqual(first)
  const { config } = app.app.platform
  const other = await buildApp({ config, databaseUrl: app.databaseUrl, masterKeys: [app.masterKey], strict: true })
  try {
    await other.server.listen({ host: '127.0.0.1', port: 0 })
    const address = other.server.server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const again = caller(`http://127.0.0.1:${port}`, tenant.key)
    const reply = await again.post('/v1/auth/login/passkey/options', { subOrgId: here, email })
    expect(reply.body.options.allowCredentials).toEqual(first)
  } finally {
    await other.close()
  }
  // A person without a passkey gets the same decoys before and after they become a user.
  await tenant.post('/v1/users', { subOrgId: here, email })
  expect(await allowed(here, email)).toEqual(first)
})
