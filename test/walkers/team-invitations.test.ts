import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import { type Caller, type Reply, startApp, type Tenant } from '../harness.ts'
import { succeeded } from '../people/factors.ts'
import { newEmail } from '../people/people.ts'
import { mailedLink, signIn } from '../people/sign-in.ts'
import { joinedMember, PASSWORD } from '../people/team.ts'
import { startSecondApp } from '../second-app.ts'

// Invitations of one inviter change nothing for the invited person, the team or another inviter.

const app = await startApp()
const second = await startSecondApp(app)
const verdict = (reply: Reply) => [reply.status, reply.body?.code]
const inviteBy = (caller: Caller, email: string, more: object = {}) =>
  caller.post('/v1/members/invites', { email, role: 'member', ...more })

/** An organization that a staging key has made, and a key of this organization. */
async function stagingOrganization(tenant: Tenant) {
  const staging = await tenant.withKey({ environment: 'staging' })
  const made = await staging.post('/v1/organizations', { name: 'Acme', slug: `o-${fresh()}` })
  const subOrgId: string = succeeded(made).subOrganization.id
  return { staging, subOrgId, key: await tenant.withKey({ environment: 'staging', subOrgId }) }
}

describe('the limits of an inviter', () => {
  test('hold one organization to 3 mails a minute and 10 an hour, and no other', async () => {
    const tenant = await app.tenant()
    const [a, b] = [await tenant.organization(), await tenant.organization()]
    const [keyA, anotherOfA] = [await tenant.withKey({ subOrgId: a }), await tenant.withKey({ subOrgId: a })]
    const others = [await tenant.withKey({ subOrgId: b }), (await stagingOrganization(tenant)).key]
    const owner = await joinedMember(app, tenant, 'owner')
    for (const email of [newEmail(), owner.email]) {
      const before = (await app.mails(email)).length
      for (let minute = 0; minute < 4; minute++) {
        for (let n = 0; n < (minute < 3 ? 3 : 1); n++) expect((await inviteBy(keyA, email)).status).toBe(200)
        if (minute < 3) await app.advance(61)
      }
      expect(verdict(await inviteBy(keyA, email))).toEqual([429, 'rate_limited'])
      expect(verdict(await inviteBy(anotherOfA, email))).toEqual([429, 'rate_limited'])
      expect((await app.mails(email)).length).toBe(before + 10)
      for (const other of others) {
        const [known, unknown] = [await inviteBy(other, email), await inviteBy(other, newEmail())]
        expect([known, unknown].map(({ status }) => status)).toEqual([200, 200])
        expect(known.headers.get('x-ratelimit-remaining')).toBe('2')
        expect(unknown.headers.get('x-ratelimit-remaining')).toBe('2')
      }
      expect((await app.mails(email)).length).toBe(before + 12)
    }
  })

  test('are separate for the account and for organizations of another environment', async () => {
    const tenant = await app.tenant()
    const { staging, subOrgId } = await stagingOrganization(tenant)
    const email = newEmail()
    const statuses = async (caller: Caller, more: object) => {
      const seen = []
      for (let n = 0; n < 4; n++) seen.push((await inviteBy(caller, email, more)).status)
      return seen
    }
    expect(await statuses(staging, { subOrgId })).toEqual([200, 200, 200, 429])
    expect(await statuses(tenant, {})).toEqual([200, 200, 200, 429])
  })

  test('leave the mails of the team alone: codes and resets of a member arrive after 40 invitations', async () => {
    const tenant = await app.tenant()
    const owner = await joinedMember(app, tenant, 'owner')
    const countedMails = async () => {
      const { rows } = await sql`
        select c.bucket, c.identity, c.count from rate_counters c join directories d on d.id = c.directory_id
        where d.account_id = ${tenant.accountId} and c.bucket in ('mail.minute', 'mail.hour', 'send.organization')
        order by c.bucket, c.identity`.execute(app.app.platform.db)
      return rows
    }
    const send = (path: string) => tenant.post(path, { subOrgId: 'team', email: owner.email })
    expect((await send('/v1/auth/login/otp/send')).status).toBe(200)
    const [counted, before] = [await countedMails(), (await app.mails(owner.email)).length]
    expect(counted.length).toBe(3)
    for (let n = 0; n < 4; n++) {
      const { key } = await stagingOrganization(tenant)
      for (let m = 0; m < 10; m++) {
        if (m % 3 === 0) await app.advance(61)
        expect((await inviteBy(key, owner.email)).status).toBe(200)
      }
    }
    expect((await app.mails(owner.email)).length).toBe(before + 40)
    expect(await countedMails()).toEqual(counted)
    for (const path of ['/v1/auth/login/otp/send', '/v1/auth/password/reset/send'])
      expect((await send(path)).status, path).toBe(200)
    expect((await app.mails(owner.email)).length).toBe(before + 42)
  })
})

describe('the limit of an account', () => {
  /** Keys that may invite, but not to the role owner: what they send is counted, and refused. */
  async function makeKeys(tenant: Tenant, reach: Reach, many: number) {
    const scopes = ['members.*', 'users.read', 'sub_orgs.read']
    const of = async () => (reach === 'one organization' ? { subOrgId: await tenant.organization() } : {})
    return Promise.all(Array.from({ length: many }, async () => tenant.withKey({ ...(await of()), scopes })))
  }

  /** The answers to as many invitations of each key, from two processes at once, by status and policy. */
  async function flood(keys: { key: string }[], each: number) {
    const seen: Record<string, number> = {}
    await Promise.all(
      keys.map(async ({ key }, i) => {
        const by = i % 2 === 0 ? app.as(key) : second.as(key)
        for (let n = 0; n < each; n++) {
          const reply = await inviteBy(by, newEmail(), { role: 'owner' })
          const kind = [...verdict(reply), reply.headers.get('ratelimit-policy') ?? ''].join(' ').trim()
          seen[kind] = (seen[kind] ?? 0) + 1
        }
      }),
    )
    return seen
  }

  const reaches = ['the account', 'one organization'] as const
  type Reach = (typeof reaches)[number]

  test.each(reaches)(
    'bounds all keys that reach %s together, exactly, on two processes',
    {
      timeout: 240_000,
    },
    async (reach) => {
      const tenant = await app.tenant()
      const mailsBefore = (await app.mails()).length
      const inviter = async (of: Reach) =>
        of === 'the account' ? tenant.withKey({}) : tenant.withKey({ subOrgId: await tenant.organization() })
      expect((await inviteBy(await inviter(reach), newEmail())).status).toBe(200)
      const keys = await makeKeys(tenant, reach, 10)
      // What a key's own limit refuses uses up nothing of the account.
      expect(await flood(keys.slice(0, 1), 250)).toEqual({
        '403 privilege_escalation': 200,
        '429 rate_limited "default";q=200;w=3600': 50,
      })
      expect(await flood(keys.slice(1), 200)).toEqual({
        '403 privilege_escalation': 1799,
        '429 rate_limited "account";q=2000;w=3600': 1,
      })
      const { staging, subOrgId } = await stagingOrganization(tenant)
      for (const caller of [await inviter(reach), await inviter(reach)]) {
        const reply = await inviteBy(caller, newEmail())
        expect(verdict(reply)).toEqual([429, 'rate_limited'])
        expect(reply.headers.get('retry-after')).toBe(String(reply.body.retry_after))
        expect(reply.body.detail).toMatch(/^This account has invited too many members/)
      }
      expect((await app.mails()).length).toBe(mailsBefore + 1)
      const [other = reach] = reaches.filter((each) => each !== reach)
      for (const [caller, more] of [
        [await inviter(other), {}],
        [staging, { subOrgId }],
        [await app.tenant(), {}],
      ] as const)
        expect((await inviteBy(caller, newEmail(), more)).status).toBe(200)
      await app.advance(3601)
      expect((await inviteBy(await inviter(reach), newEmail())).status).toBe(200)
    },
  )

  test('of other environments is apart, so that their keys use up nothing of production', async () => {
    const tenant = await app.tenant()
    const { key, subOrgId, staging } = await stagingOrganization(tenant)
    const scopes = ['members.*', 'users.read', 'sub_orgs.read']
    const keys = [await tenant.withKey({ environment: 'staging', subOrgId, scopes })]
    for (let n = 0; n < 2; n++) {
      const other = (await stagingOrganization(tenant)).subOrgId
      keys.push(await tenant.withKey({ environment: 'staging', subOrgId: other, scopes }))
    }
    expect(await flood(keys, 200)).toEqual({
      '403 privilege_escalation': 500,
      '429 rate_limited "account";q=500;w=3600': 100,
    })
    for (const reply of [await inviteBy(key, newEmail()), await inviteBy(staging, newEmail(), { subOrgId })])
      expect(verdict(reply)).toEqual([429, 'rate_limited'])
    expect((await inviteBy(tenant, newEmail())).status).toBe(200)
  })
})

describe('the link of an invitation outlives', () => {
  /** A person with an open invitation to the account, and one to an organization, in the order of their mails. */
  async function invitedTwice() {
    const tenant = await app.tenant()
    const key = await tenant.withKey({ subOrgId: await tenant.organization() })
    const email = newEmail()
    succeeded(await inviteBy(tenant, email, { role: 'owner' }))
    const ofAccount = (await mailedLink(app, email, 'invite')).token_hash
    const { member } = succeeded(await inviteBy(key, email))
    const ofOrganization = (await mailedLink(app, email, 'invite')).token_hash
    const accept = (token: string, more: object = {}) =>
      tenant.post('/v1/auth/invite/accept', { subOrgId: 'team', token, ...more })
    const open = async () =>
      (await tenant.get('/v1/members/invites')).body.invites.map(
        (each: { status: string; subOrgId: string | null }) => [
          each.status,
          each.subOrgId === null ? 'account' : 'organization',
        ],
      )
    return { tenant, key, email, ofAccount, ofOrganization, member, accept, open }
  }

  test('the acceptance of another, which proves the mailbox', async () => {
    const { ofAccount, ofOrganization, accept, open, tenant, email } = await invitedTwice()
    expect((await accept(ofOrganization, { password: PASSWORD })).status).toBe(200)
    expect(await open()).toEqual([['pending', 'account']])
    expect(await app.events({ accountId: tenant.accountId, type: 'invite.revoked' })).toEqual([])
    expect((await accept(ofAccount)).status).toBe(200)
    expect(await open()).toEqual([])
    const { members } = (await tenant.get('/v1/members')).body
    expect(members.filter((each: { email: string }) => each.email === email).map(({ role }: Role) => role)).toEqual([
      'owner',
      'member',
    ])
  })

  test('a change of another membership, and its end', async () => {
    for (const end of ['role', 'removal']) {
      const { ofAccount, ofOrganization, accept, open, member, key } = await invitedTwice()
      const { session } = succeeded(await accept(ofOrganization, { password: PASSWORD }))
      const path = `/v1/members/${member.membershipId}`
      if (end === 'role') {
        succeeded(await key.patch(path, { newRole: 'developer' }))
        succeeded(await key.patch(path, { newRole: 'member' }))
      } else succeeded(await key.delete(path))
      // The cut-off took place.
      const headers = { authorization: `Bearer ${session.access_token}` }
      expect((await app.as(null).get('/v1/members', headers)).status).toBe(401)
      expect(await open()).toEqual([['pending', 'account']])
      expect((await accept(ofAccount)).status).toBe(200)
    }
  })

  test('a sign-in by a code, and a reset of the password', async () => {
    const { ofAccount, ofOrganization, accept, open, tenant, email } = await invitedTwice()
    expect((await accept(ofOrganization, { password: PASSWORD })).status).toBe(200)
    await signIn(app, tenant, 'team', email)
    succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId: 'team', email }))
    const { token_hash } = await mailedLink(app, email, 'password_reset')
    const password = 'another correct horse staple'
    succeeded(await tenant.post('/v1/auth/password/reset/confirm', { subOrgId: 'team', email, token_hash, password }))
    expect(await open()).toEqual([['pending', 'account']])
    expect((await accept(ofAccount)).status).toBe(200)
  })

  test('but not its own membership: withdrawn, renewed or accepted, it opens nothing', async () => {
    const withdrawn = await invitedTwice()
    succeeded(await withdrawn.accept(withdrawn.ofOrganization, { password: PASSWORD }))
    const [invitation] = (await withdrawn.tenant.get('/v1/members/invites')).body.invites
    succeeded(await withdrawn.tenant.delete(`/v1/members/invites/${invitation.id}`))
    expect(verdict(await withdrawn.accept(withdrawn.ofAccount))).toEqual([400, 'token_invalid'])
    expect(await withdrawn.open()).toEqual([])
    const renewed = await invitedTwice()
    succeeded(await inviteBy(renewed.tenant, renewed.email, { role: 'owner' }))
    expect(verdict(await renewed.accept(renewed.ofAccount, { password: PASSWORD }))).toEqual([400, 'token_invalid'])
    const { token_hash } = await mailedLink(app, renewed.email, 'invite')
    expect((await renewed.accept(token_hash, { password: PASSWORD })).status).toBe(200)
    expect(verdict(await renewed.accept(token_hash))).toEqual([400, 'token_invalid'])
    expect(await renewed.open()).toEqual([['pending', 'organization']])
  })
})

interface Role {
  role: string
}
