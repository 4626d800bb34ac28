import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp, type Tenant } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import { joinedMember, PASSWORD } from '../../../../test/people/team.ts'
import { cleanUpFormerRoles } from './cleanup.ts'
import type { TeamRole } from './team-roles/team-roles.ts'

// When the grace period for the second factor ends, whatever happens to a member's roles.

const app = await startApp()
const DAY = 86_400
const DAY_MS = DAY * 1000
const moment = () => app.app.platform.clock.now().getTime()

type Step =
  | { kind: 'role' | 'roster'; role: TeamRole }
  | { kind: 'leave' | 'off'; role?: undefined }
  | { kind: 'wait'; days: number }

const role = fc.constantFrom<TeamRole>('owner', 'admin', 'developer', 'member')
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('role' as const), role }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('roster' as const), role }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('leave' as const, 'off' as const) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.constantFrom(1, 3, 5, 12, 30) }) },
  ),
  { minLength: 4, maxLength: 14 },
)

/** A model of the documented behaviour: when the period began, and since when the person has had no covered role. */
interface Expected {
  account: TeamRole | null
  roster: TeamRole | null
  beganAt: number | null
  lostAt: number | null
}

const isCovered = ({ account, roster }: Pick<Expected, 'account' | 'roster'>) =>
  [account, roster].some((role) => role === 'owner' || role === 'admin')

function note(expected: Expected, changed: Partial<Pick<Expected, 'account' | 'roster'>>): void {
  const [before, at] = [isCovered(expected), moment()]
  Object.assign(expected, changed)
  const after = isCovered(expected)
  if (before && !after) expected.lostAt = at
  const isNew = expected.lostAt === null || at - expected.lostAt >= 30 * DAY_MS
  if (!before && after && isNew) expected.beganAt = at
}

async function team() {
  const tenant = await app.tenant()
  const owner = await joinedMember(app, tenant, 'owner')
  return { tenant, owner, subOrgId: await tenant.organization(), email: newEmail() }
}

type Team = Awaited<ReturnType<typeof team>>

async function membershipOf({ tenant, email }: Team): Promise<string> {
  const { members } = succeeded(await tenant.get('/v1/members'))
  return members.find((member: { email: string }) => member.email === email).membershipId
}

async function join({ tenant, email }: Team, role: TeamRole): Promise<void> {
  succeeded(await tenant.post('/v1/members/invites', { email, role }))
  const { token_hash: token } = await mailedLink(app, email, 'invite')
  succeeded(await tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, password: PASSWORD }))
}

async function put(of: Team, role: TeamRole | null): Promise<void> {
  const members = [{ membershipId: of.owner.membershipId, role: 'owner' }]
  if (role !== null) members.push({ membershipId: await membershipOf(of), role })
  succeeded(await of.tenant.put(`/v1/organizations/${of.subOrgId}/members`, { members }))
}

async function perform(of: Team, expected: Expected, step: Step): Promise<void> {
  const isMember = expected.account !== null
  if (step.kind === 'wait') await app.advance(step.days * DAY)
  else if (step.kind === 'role' && !isMember) {
    await join(of, step.role)
    note(expected, { account: step.role })
  } else if (!isMember) return
  else if (step.kind === 'role') {
    succeeded(await of.tenant.patch(`/v1/members/${await membershipOf(of)}`, { newRole: step.role }))
    note(expected, { account: step.role })
  } else if (step.kind === 'leave') {
    succeeded(await of.tenant.delete(`/v1/members/${await membershipOf(of)}`))
    note(expected, { account: null, roster: null })
  } else {
    const roster = step.role ?? null
    await put(of, roster)
    note(expected, { roster })
  }
}

const signIn = async (tenant: Tenant, email: string) =>
  tenant.post('/v1/auth/login/password', { subOrgId: 'team', email, password: PASSWORD })

async function assertGrace({ tenant, email }: Team, expected: Expected, context: string): Promise<void> {
  const reply = await signIn(tenant, email)
  if (expected.account === null) return expect(reply.status, context).toBe(401)
  const { session, mfa = null, enrollment_required = false } = succeeded(reply)
  if (!isCovered(expected)) return expect([session === null, mfa], context).toEqual([false, null])
  const endsAt = (expected.beganAt ?? 0) + 7 * DAY_MS
  expect(enrollment_required, context).toBe(moment() >= endsAt)
  if (session === null) return
  // Exact to a minute, since the database recorded the change a moment before the test.
  expect(Math.abs(Date.parse(mfa.grace_ends_at) - endsAt), context).toBeLessThan(60_000)
}

test('no change of roles moves the end, unless no covered role was held for 30 days', {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (taken, signsInAlways) => {
      const of = await team()
      const expected: Expected = { account: null, roster: null, beganAt: null, lostAt: null }
      for (const [i, step] of [...taken, { kind: 'role', role: 'admin' } as const].entries()) {
        await perform(of, expected, step)
        // Rate limits for sign-ins and invitations count per minute and per hour.
        await app.advance(1200)
        // The end is the same if the person has not signed in meanwhile.
        if (signsInAlways || i >= taken.length) await assertGrace(of, expected, JSON.stringify({ i, taken }))
      }
    }),
    { numRuns: 12 },
  )
})

/** Whole days until the end of the grace period. `over` after it, `free` if no factor is required. */
async function daysLeft({ tenant, email }: Team): Promise<number | 'over' | 'free'> {
  const { session, mfa } = succeeded(await signIn(tenant, email))
  if (session === null) return 'over'
  return mfa ? Math.round((Date.parse(mfa.grace_ends_at) - moment()) / DAY_MS) : 'free'
}

const change = async (of: Team, newRole: TeamRole) =>
  succeeded(await of.tenant.patch(`/v1/members/${await membershipOf(of)}`, { newRole }))

/** Ways in which an administrator loses the role and gets it back. */
const ways: Record<string, [lose: (of: Team) => Promise<unknown>, back: (of: Team) => Promise<unknown>]> = {
  'a lower role': [(of) => change(of, 'developer'), (of) => change(of, 'admin')],
  'another covered role': [(of) => change(of, 'owner'), (of) => change(of, 'admin')],
  'a removal and a new invitation': [
    async (of) => succeeded(await of.tenant.delete(`/v1/members/${await membershipOf(of)}`)),
    (of) => join(of, 'admin'),
  ],
  'a role on a roster instead': [
    async (of) => {
      await change(of, 'member')
      await put(of, 'admin')
    },
    async (of) => {
      await put(of, null)
      await change(of, 'admin')
    },
  ],
}

test.each(Object.entries(ways))('%s and the role again extend no grace period', async (_, [lose, back]) => {
  const of = await team()
  await join(of, 'admin')
  expect(await daysLeft(of)).toBe(7)
  await app.advance(5 * DAY)
  await lose(of)
  await back(of)
  expect(await daysLeft(of)).toBe(2)
  await app.advance(3 * DAY)
  expect(await daysLeft(of)).toBe('over')
  await lose(of)
  await app.advance(29 * DAY)
  await back(of)
  expect(await daysLeft(of)).toBe('over')
})

test('a removal of who had the role on a roster alone, and the role in the account, extend none either', async () => {
  const of = await team()
  await join(of, 'member')
  await put(of, 'admin')
  expect(await daysLeft(of)).toBe(7)
  await app.advance(5 * DAY)
  succeeded(await of.tenant.delete(`/v1/members/${await membershipOf(of)}`))
  await join(of, 'admin')
  expect(await daysLeft(of)).toBe(2)
})

test('nor do they for a person who has not signed in meanwhile', async () => {
  const of = await team()
  await join(of, 'admin')
  for (let n = 0; n < 3; n++) {
    await app.advance(4 * DAY)
    await change(of, n % 2 === 0 ? 'owner' : 'admin')
  }
  expect(await daysLeft(of)).toBe('over')
})

test.each(['a lower role', 'a removal and a new invitation'])(
  'after %s, 30 days without a covered role, and the role again, a grace period begins',
  async (way) => {
    const of = await team()
    await join(of, 'admin')
    await app.advance(8 * DAY)
    expect(await daysLeft(of)).toBe('over')
    const [lose, back] = ways[way] ?? []
    await lose?.(of)
    await app.advance(30 * DAY)
    await back?.(of)
    expect(await daysLeft(of)).toBe(7)
    await app.advance(8 * DAY)
    expect(await daysLeft(of)).toBe('over')
  },
)

test('former roles are removed when no grace period depends on them', async () => {
  const [member, removed] = [await team(), await team()]
  const formerRoles = async ({ tenant: { accountId } }: Team) => {
    await cleanUpFormerRoles.handle(app.app.platform, {}, 1)
    const { db } = app.app.platform
    const rows = await db.selectFrom('former_team_roles').select('role').where('account_id', '=', accountId).execute()
    return rows.map(({ role }) => role)
  }
  for (const each of [member, removed]) {
    await join(each, 'admin')
    await change(each, 'member')
  }
  await app.advance(5 * DAY)
  succeeded(await removed.tenant.delete(`/v1/members/${await membershipOf(removed)}`))
  await app.advance(29 * DAY)
  expect([await formerRoles(member), await formerRoles(removed)]).toEqual([['admin'], ['admin', 'member']])
  await app.advance(2 * DAY)
  expect([await formerRoles(member), await formerRoles(removed)]).toEqual([['admin'], []])
  await app.advance(90 * DAY)
  expect(await formerRoles(member)).toEqual([])
})

test('a role that is given and taken again and again is kept once, also by changes at the same moment', async () => {
  const of = await team()
  await join(of, 'admin')
  const id = await membershipOf(of)
  for (let round = 0; round < 5; round++) {
    const roles: TeamRole[] = ['member', 'developer', 'owner', 'admin']
    const replies = await Promise.all(roles.map((newRole) => of.tenant.patch(`/v1/members/${id}`, { newRole })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  }
  await change(of, 'admin')
  const { db } = app.app.platform
  const rows = () =>
    db
      .selectFrom('former_team_roles')
      .select(['role', 'since'])
      .where('account_id', '=', of.tenant.accountId)
      .where('email_norm', '=', of.email)
      .execute()
  const kept = await rows()
  expect(kept.length).toBe(new Set(kept.map(({ role }) => role)).size)
  // After 30 days with another role, the former role is stored in a separate row.
  await app.advance(31 * DAY)
  await change(of, 'owner')
  await app.advance(31 * DAY)
  await change(of, 'admin')
  await change(of, 'owner')
  expect((await rows()).filter(({ role }) => role === 'admin').length).toBe(2)
  expect(await daysLeft(of)).toBe('over')
})
