import { expect, test } from 'vitest'
import { startFederatedApp } from '../people/oidc-organization.ts'
import { walk } from './walk.ts'

test('the walk of an operator passes on plain PostgreSQL', async () => {
  const { app, dns, tenant } = await startFederatedApp()
  const { key } = await tenant.withKey({})
  const publish = ({ name, value }: { name: string; value: string }) => void dns.answers.set(name, { texts: [value] })
  const said: string[] = []
  const done = await walk({ baseUrl: app.baseUrl, key, publish }, ({ name }) => void said.push(name))
  expect(done.filter(({ failure }) => failure !== null)).toEqual([])
  expect(said).toEqual(done.map(({ name }) => name))
  expect(done.length).toBeGreaterThanOrEqual(20)
})

test('a step that fails says why, and the others go on', async () => {
  const { app, tenant } = await startFederatedApp()
  const { key } = await tenant.withKey({
    scopes: ['sub_orgs.write', 'sub_orgs.read', 'users.write', 'users.read'],
  })
  const done = await walk({ baseUrl: app.baseUrl, key, publish: () => undefined }, () => undefined)
  const failures = new Map(done.map(({ name, failure }) => [name, failure]))
  expect(failures.get('create organizations')).toBe(null)
  expect(failures.get('create, change, find and list users')).toBe(null)
  expect(failures.get('create a webhook')).toContain('"code":"insufficient_scope"')
  expect(failures.get('sign in at an OpenID provider, and exchange the code')).toBe('No domain: an earlier step failed')
})
