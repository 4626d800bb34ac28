import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { operationsOf } from '../../../src/platform/openapi/document-operations.ts'
import { follow, partOf } from '../../../src/platform/openapi/document-parts.ts'
import { freshEmail } from '../../../test/fresh.ts'
import { startApp } from '../../../test/harness.ts'
import { Watchword } from '../src/index.ts'
import { signedInBySdk } from './signed-in.ts'

const app = await startApp()
const tenant = await app.tenant()
const watchword = new Watchword({ url: app.baseUrl, apiKey: tenant.key })

test('a client for one organization reads and writes there, and nowhere else', async () => {
  const [one, other] = [await tenant.organization(), await tenant.organization()]
  const client = watchword.forOrganization(one)
  const { user } = await client.users.create({ email: freshEmail('ada') })
  const { user: stranger } = await watchword.users.create({ subOrgId: other, email: freshEmail('bob') })
  const read = async (options: object = {}) => (await client.users.list(options)).users.map(({ id }) => id)
  expect(await read()).toEqual([user.id])
  // A variable that is empty by mistake does not list every organization.
  expect(await read({ subOrgId: undefined })).toEqual([user.id])
  expect(await read({ subOrgId: one })).toEqual([user.id])
  const rows: string[] = []
  for await (const { id } of client.forRequest({ headers: {} }).users.list({ limit: 1 })) rows.push(id)
  expect(rows).toEqual([user.id])
  await expect(client.users.get(stranger.id)).rejects.toMatchObject({ code: 'user_not_found' })
  for (const subOrgId of [other, null, ''] as string[]) {
    await expect(client.users.list({ subOrgId })).rejects.toThrow(TypeError)
    await expect(client.users.create({ subOrgId, email: freshEmail('eve') })).rejects.toThrow(TypeError)
  }
  expect(await read()).toEqual([user.id])
  expect((await watchword.users.list({ subOrgId: other })).users).toHaveLength(1)
})

test('it reaches no other organization by a path, and nothing that holds for all of them', async () => {
  const [one, other] = [await tenant.organization(), await tenant.organization()]
  const client = watchword.forOrganization(one)
  expect((await client.organizations.get(one)).subOrganization.id).toBe(one)
  await expect(client.organizations.get(other)).rejects.toMatchObject({ code: 'organization_not_found' })
  const renamed = client.organizations.update(other, { name: 'Taken over' })
  await expect(renamed).rejects.toMatchObject({ code: 'organization_not_found' })
  const defaults = client.auth.updateDefaults({ allow_sign_up: true })
  await expect(defaults).rejects.toMatchObject({ code: 'sub_org_mismatch', isInternal: true })
  expect((await watchword.organizations.get(other)).subOrganization.name).not.toBe('Taken over')
})

test('for the team of the account, it lists the users of no organization', async () => {
  const subOrgId = await tenant.organization()
  const { user } = await watchword.users.create({ subOrgId, email: freshEmail('ada') })
  const team = watchword.forOrganization('team')
  const listed = await team.users.list().catch((error: unknown) => error)
  expect(JSON.stringify(listed)).not.toContain(user.email)
  await expect(team.users.create({ email: freshEmail('eve') })).rejects.toThrow('team')
})

test('an empty organization is refused at once, and so is a second one', () => {
  for (const id of ['', ' ', undefined, null, 7] as string[])
    expect(() => watchword.forOrganization(id)).toThrow(TypeError)
  const client = watchword.forOrganization('a')
  expect(() => client.forOrganization('b')).toThrow(TypeError)
  expect(() => client.forOrganization('a')).not.toThrow()
})

test('the operations of a user stay what they are', async () => {
  const { subOrgId, user, session } = await signedInBySdk(app, tenant)
  const me = watchword.forOrganization(subOrgId).forUser(session.access_token)
  expect((await me.me.get()).user.id).toBe(user.id)
})

test('every operation that takes an organization sends it', async () => {
  const file = new URL('../../../openapi.json', import.meta.url)
  const document = partOf(JSON.parse(readFileSync(file, 'utf8')))
  const sent: string[] = []
  const client = new Watchword({
    url: 'http://x.test',
    apiKey: 'key',
    async fetch(url, init) {
      sent.push(`${url} ${init?.body ?? ''}`)
      return Response.json({})
    },
  }).forOrganization('the-one')
  const takes = operationsOf(document).filter(({ query, body }) => {
    const inBody = partOf(partOf(follow(document, body?.schema))['properties'])
    return 'subOrgId' in inBody || query.some(({ name }) => name === 'subOrgId')
  })
  for (const { id, pathParameters } of takes) {
    const path = id.split('.')
    const owner = path.slice(0, -1).reduce<unknown>((inner, step) => Object(inner)[step], client)
    await Object(owner)[path.at(-1) ?? ''](...pathParameters.map(() => 'id'), {})
    expect(sent.at(-1), id).toContain('the-one')
  }
  expect([takes.length > 150, sent.length]).toEqual([true, takes.length])
})
