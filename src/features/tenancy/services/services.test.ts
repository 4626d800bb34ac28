import { expect, test } from 'vitest'
import { startApp, until } from '../../../../test/harness.ts'
import { startSecondApp } from '../../../../test/second-app.ts'
import { authDependents } from '../../../contract/contract.ts'
import { directoryOfOrganization } from '../../../platform/tenancy/directory.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import { selectServices, serviceIds } from './selection.ts'

const first = await startApp()
const second = await startSecondApp(first)
const path = '/v1/organization-apps'

async function scopedTenant() {
  const tenant = await first.tenant()
  const subOrgId = await tenant.organization()
  const environment = {
    accountId: tenant.accountId,
    environmentId: tenant.environmentId,
    environmentSlug: 'production',
  }
  const directory = await directoryOfOrganization(first.app.platform, environment, subOrgId)
  return { ...tenant, subOrgId, directory }
}

test('everything is on where nothing was configured', async () => {
  const { get, subOrgId } = await scopedTenant()
  const fresh = { enabledAppIds: [...serviceIds], appGroups: [], sidebarGroupsCollapsible: true }
  for (const query of ['', `?subOrgId=${subOrgId}`]) expect((await get(path + query)).body).toEqual(fresh)
})

test('a change replaces what it names and keeps the rest', async () => {
  const { get, put, subOrgId, accountId } = await scopedTenant()
  const appGroups = [
    { id: 'sec', name: 'Security', appIds: ['mfa', 'ours'], icon: { name: 'lock', hidden: [null, 1] } },
    { label: 'A shape of its own' },
  ]
  const grouped = await put(path, { subOrgId, appGroups, sidebarGroupsCollapsible: false })
  const all = { enabledAppIds: [...serviceIds], appGroups, sidebarGroupsCollapsible: false }
  expect([grouped.status, grouped.body]).toEqual([200, all])
  const reduced = await put(path, { subOrgId, enabledAppIds: ['scim', 'auth', 'otp', 'otp'] })
  expect(reduced.body).toEqual({ ...all, enabledAppIds: ['auth', 'otp', 'scim'] })
  expect((await get(`${path}?subOrgId=${subOrgId}`)).body).toEqual(reduced.body)
  expect((await get(path)).body.enabledAppIds).toEqual(serviceIds)
  expect((await put(path, { subOrgId, enabledAppIds: ['auth', 'otp', 'scim'] })).body).toEqual(reduced.body)
  const events = await first.events({ accountId, type: 'service_config.updated' })
  expect(events).toMatchObject([
    { organization_id: subOrgId, previous: { appGroups: [], sidebarGroupsCollapsible: true } },
    { organization_id: subOrgId, data: reduced.body, previous: { enabledAppIds: serviceIds } },
  ])
})

test('without Auth its dependents go, and cannot come', async () => {
  const { put, get, subOrgId } = await scopedTenant()
  const without = serviceIds.filter((id) => id !== 'auth')
  const removed = await put(path, { subOrgId, enabledAppIds: without })
  const independent = without.filter((id) => !authDependents.includes(id))
  expect([removed.status, removed.body.enabledAppIds]).toEqual([200, independent])
  for (const id of authDependents) {
    const refused = await put(path, { subOrgId, enabledAppIds: [...independent, id] })
    expect([refused.status, refused.body.code]).toEqual([409, 'auth_required'])
  }
  expect((await get(`${path}?subOrgId=${subOrgId}`)).body.enabledAppIds).toEqual(independent)
  const back = await put(path, { subOrgId, enabledAppIds: ['auth', 'otp'] })
  expect(back.body.enabledAppIds).toEqual(['auth', 'otp'])
})

test('a selection never holds a dependent without Auth', () => {
  for (const id of authDependents) {
    expect(selectServices(['auth', id], [id])).toEqual([])
    expect(() => selectServices(['auth'], [id])).toThrow(/requires auth/)
    expect(selectServices([], ['auth', id])).toEqual(['auth', id])
  }
})

test('refuses what it does not know or what has no bounds', async () => {
  const { put, subOrgId, accountId } = await scopedTenant()
  const group = { id: 'g', name: 'G' }
  for (const body of [
    { enabledAppIds: ['auth', 'fax'] },
    { enabledAppIds: 'auth' },
    { enabledAppIds: null },
    { appGroups: ['no object'] },
    { appGroups: [{ ...group, name: '' }] },
    { appGroups: [{ ...group, appIds: [1] }] },
    { appGroups: Array(51).fill(group) },
    { appGroups: [{ ...group, note: 'x'.repeat(17_000) }] },
    { sidebarGroupsCollapsible: 'yes' },
    { other: true },
  ]) {
    const reply = await put(path, { subOrgId, ...body })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
  }
  const unnamed = await put(path, { enabledAppIds: [] })
  expect([unnamed.status, unnamed.body.code]).toEqual([400, 'sub_org_required'])
  expect(await first.events({ accountId, type: 'service_config.updated' })).toEqual([])
})

test('takes effect at once here, and on another process by notice', async () => {
  const { put, subOrgId, directory } = await scopedTenant()
  const isOn = (app: typeof first.app) => isServiceEnabled({ platform: app.platform, directory }, 'otp')
  expect([await isOn(first.app), await isOn(second.app)]).toEqual([true, true])
  await put(path, { subOrgId, enabledAppIds: ['auth', 'password'] })
  expect(await isOn(first.app)).toBe(false)
  await until(async () => !(await isOn(second.app)))
  await put(path, { subOrgId, enabledAppIds: ['auth', 'otp'] })
  expect(await isOn(first.app)).toBe(true)
  await until(() => isOn(second.app))
})

test('changes at once on two processes are all kept', async () => {
  const { get, put, key, subOrgId } = await scopedTenant()
  const other = second.as(key)
  const [a, b] = await Promise.all([
    put(path, { subOrgId, sidebarGroupsCollapsible: false }),
    other.put(path, { subOrgId, appGroups: [{ id: 'g', name: 'G' }] }),
  ])
  expect([a.status, b.status]).toEqual([200, 200])
  expect((await get(`${path}?subOrgId=${subOrgId}`)).body).toMatchObject({
    sidebarGroupsCollapsible: false,
    appGroups: [{ id: 'g', name: 'G' }],
  })
})

test('an organization that has set nothing has the defaults of its environment, until its own first change', async () => {
  const { get, put, subOrgId, directory, accountId, organization } = await scopedTenant()
  const { platform } = first.app
  const inherits = await organization()
  const isOn = (service: 'mfa' | 'otp') => isServiceEnabled({ platform, directory }, service)
  expect([await isOn('mfa'), await isOn('otp')]).toEqual([true, true])
  const defaults = await put(`${path}/defaults`, { enabledAppIds: ['auth', 'otp'], sidebarGroupsCollapsible: false })
  expect([defaults.status, defaults.body.enabledAppIds]).toEqual([200, ['auth', 'otp']])
  for (const query of ['', `?subOrgId=${subOrgId}`]) expect((await get(path + query)).body).toEqual(defaults.body)
  expect([await isOn('mfa'), await isOn('otp')]).toEqual([false, true])
  // Setting the same values records no event. But they no longer change with the defaults.
  expect((await put(path, { subOrgId, enabledAppIds: ['auth', 'otp'] })).body).toEqual(defaults.body)
  await put(`${path}/defaults`, { enabledAppIds: ['auth', 'mfa'] })
  expect([await isOn('mfa'), await isOn('otp')]).toEqual([false, true])
  expect((await get(`${path}?subOrgId=${inherits}`)).body.enabledAppIds).toEqual(['auth', 'mfa'])
  const events = await first.events({ accountId, type: 'service_config.updated' })
  expect(events.map(({ data }) => Object(data).enabledAppIds)).toEqual([
    ['auth', 'otp'],
    ['auth', 'mfa'],
  ])
})

test('a key of one organization sets no defaults, and a change of nothing leaves them in force', async () => {
  const { put, get, withKey, subOrgId } = await scopedTenant()
  const narrow = await withKey({ subOrgId })
  const refused = await narrow.put(`${path}/defaults`, { enabledAppIds: [] })
  expect([refused.status, refused.body.code]).toEqual([403, 'sub_org_mismatch'])
  expect((await put(path, { subOrgId })).status).toBe(200)
  await put(`${path}/defaults`, { enabledAppIds: ['auth'] })
  expect((await get(`${path}?subOrgId=${subOrgId}`)).body.enabledAppIds).toEqual(['auth'])
})
