import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { joinedMember, type TeamMember } from '../../../../test/people/team.ts'

// Every change of status, by every kind of caller.

const app = await startApp()
const tenant = await app.tenant()
const subOrgId = await tenant.organization()
const path = `/v1/organizations/${subOrgId}`

const STATUSES = ['active', 'suspended', 'archived'] as const
type Status = (typeof STATUSES)[number]
type Change = `${Status} → ${Status}`

const EVENTS = {
  active: 'organization.activated',
  suspended: 'organization.suspended',
  archived: 'organization.archived',
}

const member = async (role: TeamMemberRole, of?: string) => {
  const options = of === undefined ? {} : { subOrgId: of }
  return asMember(await joinedMember(app, tenant, role, options))
}
type TeamMemberRole = Parameters<typeof joinedMember>[2]
type Patch = (body: object) => ReturnType<typeof tenant.patch>

const asMember =
  ({ headers }: TeamMember): Patch =>
  (body) =>
    app.as(null).patch(path, body, headers)
const asKey = async (options: Parameters<typeof tenant.withKey>[0]): Promise<Patch> => {
  const key = await tenant.withKey(options)
  return (body) => key.patch(path, body)
}

const callers: Record<string, Patch> = {
  'production key': (body) => tenant.patch(path, body),
  'production key with sub_orgs.write': await asKey({ scopes: ['sub_orgs.write'] }),
  'key of the organization': await asKey({ subOrgId }),
  'key of another organization': await asKey({ subOrgId: await tenant.organization() }),
  'staging key': await asKey({ environment: 'staging' }),
  'staging key of the organization': await asKey({ environment: 'staging', subOrgId }),
  owner: await member('owner'),
  admin: await member('admin'),
  developer: await member('developer'),
  member: await member('member'),
  'owner on the roster': await member('owner', subOrgId),
  'admin on the roster': await member('admin', subOrgId),
}

const REACTIVATES: Change[] = ['suspended → active']
const RESTORES: Change[] = ['archived → active', 'archived → suspended']
const ARCHIVES: Change[] = ['active → archived', 'suspended → archived', 'archived → archived']

const refused = (code: string, ...changes: Change[]) => Object.fromEntries(changes.map((change) => [change, code]))
const everything = (code: string) =>
  refused(code, ...STATUSES.flatMap((from) => STATUSES.map((to): Change => `${from} → ${to}`)))

/** The errors that each kind of caller gets, by change. All other changes succeed. */
const REFUSED: Record<string, Record<string, string>> = {
  'production key': {},
  'production key with sub_orgs.write': {},
  'key of the organization': refused('sub_org_mismatch', ...REACTIVATES, ...RESTORES),
  'key of another organization': everything('organization_not_found'),
  'staging key': everything('production_key_required'),
  'staging key of the organization': everything('production_key_required'),
  owner: {},
  admin: refused('insufficient_scope', ...ARCHIVES, ...RESTORES),
  developer: everything('insufficient_scope'),
  member: everything('insufficient_scope'),
  'owner on the roster': refused('sub_org_mismatch', ...REACTIVATES, ...RESTORES),
  'admin on the roster': {
    ...refused('sub_org_mismatch', ...REACTIVATES),
    ...refused('insufficient_scope', ...ARCHIVES, ...RESTORES),
  },
}

const stored = async () => ({ ...(await tenant.get(path)).body.subOrganization, userCountedAt: null })
const recorded = async () =>
  (await app.events({ accountId: tenant.accountId })).filter(({ target_id }) => target_id === subOrgId)

test.each(Object.keys(callers))('status changes by: %s', async (name) => {
  const outcomes: Record<string, string> = {}
  for (const from of STATUSES)
    for (const to of STATUSES) {
      expect((await tenant.patch(path, { status: from })).status).toBe(200)
      const [before, events] = [await stored(), await recorded()]
      const reply = await callers[name]?.({ status: to })
      const after = await stored()
      const added = (await recorded()).slice(events.length).map(({ type }) => type)
      if (reply?.status === 200) {
        expect([after.status, after.archivedAt === null], `${from} → ${to}`).toEqual([to, to !== 'archived'])
        expect(added).toEqual(from === to ? [] : [EVENTS[to]])
        continue
      }
      outcomes[`${from} → ${to}`] = reply?.body.code
      expect([after, added], `${from} → ${to}`).toEqual([before, []])
    }
  expect(outcomes).toEqual(REFUSED[name])
})

test('a refused status refuses the whole patch, and other fields of an archived organization can be changed', async () => {
  const [own, admin] = [callers['key of the organization'], callers.admin]
  await tenant.patch(path, { status: 'archived', name: 'Before' })
  for (const by of [own, admin]) {
    expect((await by?.({ status: 'suspended', name: 'Changed' }))?.status).toBe(403)
    expect(await stored()).toMatchObject({ status: 'archived', name: 'Before' })
    expect((await by?.({ description: 'Closed' }))?.status).toBe(200)
  }
  expect(await stored()).toMatchObject({ status: 'archived', name: 'Before', description: 'Closed' })
})
