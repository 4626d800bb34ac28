import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type EventRow, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import { person, signInAs, workOfOrganization } from '../../../../test/people/federation.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedLink, signIn } from '../../../../test/people/sign-in.ts'

const app = await startApp()
const tenant = await app.tenant()
const PASSWORD = 'seven green bottles'

/** An invited person in an organization of their own. */
async function newcomer() {
  const subOrgId = await tenant.organization()
  const email = newEmail()
  const find = async () => succeeded(await tenant.get(`/v1/users?subOrgId=${subOrgId}&email=${email}`)).users[0]
  const invites = async () => succeeded(await tenant.get(`/v1/users/invites?subOrgId=${subOrgId}`)).invites
  const invite = (body: object = {}) => tenant.post('/v1/users/invites', { subOrgId, email, ...body })
  const create = () => tenant.post('/v1/users', { subOrgId, email })
  const onUser = async (method: 'patch' | 'post' | 'put', path: string, body: object = {}) =>
    tenant[method](`/v1/users/${(await find())?.id}${path}`, { subOrgId, ...body })
  const byPassword = () => tenant.post('/v1/auth/login/password', { subOrgId, email, password: PASSWORD })
  const byCode = () => signIn(app, tenant, subOrgId, email)
  const byProvider = async () =>
    signInAs(await workOfOrganization(app, subOrgId), person({ subject: email, email, emailVerified: true }))
  const byReset = async () => {
    succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
    const { token_hash } = await mailedLink(app, email, 'password_reset')
    return tenant.post('/v1/auth/password/reset/confirm', { subOrgId, email, token_hash, password: `${PASSWORD}!` })
  }
  const accept = async () => {
    const { token_hash: token } = await mailedLink(app, email, 'invite')
    return tenant.post('/v1/auth/invite/accept', { subOrgId, token, password: PASSWORD })
  }
  const withdraw = async () => {
    for (const { id } of await invites()) await tenant.delete(`/v1/users/invites/${id}?subOrgId=${subOrgId}`)
  }
  const setPassword = () => onUser('put', '/password', { password: PASSWORD })
  return {
    ...{ subOrgId, email, find, invites, invite, create, onUser, setPassword, withdraw },
    ...{ byPassword, byCode, byProvider, byReset, accept },
  }
}

type Newcomer = Awaited<ReturnType<typeof newcomer>>

const statusOf = ({ data }: Pick<EventRow, 'data'>) => Object(data).status

async function eventsOf(prefix: 'user.' | 'invite.', id?: string) {
  const events = await app.events({ accountId: tenant.accountId })
  return events.filter(({ type, target_id }) => type.startsWith(prefix) && (id === undefined || target_id === id))
}

async function statuses(id: string) {
  return (await eventsOf('user.', id)).map((event) => [event.type, Object(event.previous).status, statusOf(event)])
}

describe('events say the status that the API shows', () => {
  test('of a new user who is invited, and accepts', async () => {
    const who = await newcomer()
    const { user } = succeeded(await who.invite())
    expect(await statuses(user.id)).toEqual([['user.created', undefined, 'invited']])
    const [created] = await eventsOf('user.', user.id)
    expect(Object(created?.data)).toMatchObject({ userId: user.userId, updatedAt: user.updatedAt })
    succeeded(await who.accept())
    expect(await statuses(user.id)).toEqual([
      ['user.created', undefined, 'invited'],
      ['user.updated', 'invited', 'active'],
      ['user.email_verified', undefined, 'active'],
    ])
    expect(await who.find()).toMatchObject({ status: 'active' })
  })

  test('of an existing user who is invited, whose invitation is withdrawn, and who signs in twice', async () => {
    const who = await newcomer()
    const { user } = succeeded(await who.create())
    succeeded(await who.invite({ role: 'admin' }))
    succeeded(await who.invite())
    await who.withdraw()
    succeeded(await who.invite())
    for (const _ of [1, 2]) await who.byCode()
    expect(await statuses(user.id)).toEqual([
      ['user.created', undefined, 'active'],
      ['user.updated', 'active', 'invited'],
      // The event of the role that the user gets.
      ['user.updated', undefined, 'invited'],
      ['user.updated', 'invited', 'active'],
      ['user.updated', 'active', 'invited'],
      ['user.updated', 'invited', 'active'],
      ['user.email_verified', undefined, 'active'],
    ])
  })

  test('a change of the status is a new version of the user', async () => {
    const who = await newcomer()
    const { user } = succeeded(await who.create())
    const tag = async () => (await tenant.get(`/v1/users/${user.id}`)).headers.get('etag')
    const tags = [await tag()]
    succeeded(await who.invite())
    tags.push(await tag())
    await who.withdraw()
    tags.push(await tag())
    expect(new Set(tags).size).toBe(3)
  })

  const acts: Record<string, (who: Newcomer) => Promise<unknown>> = {
    create: ({ create }) => create(),
    invite: ({ invite }) => invite(),
    'invite with a role': ({ invite }) => invite({ role: 'admin' }),
    withdraw: ({ withdraw }) => withdraw(),
    accept: ({ accept }) => accept(),
    'set a password': ({ setPassword }) => setPassword(),
    'sign in by password': ({ byPassword }) => byPassword(),
    'sign in by code': ({ byCode }) => byCode(),
    'sign in by a provider': ({ byProvider }) => byProvider(),
    reset: ({ byReset }) => byReset(),
    deactivate: ({ onUser }) => onUser('patch', '', { active: false }),
    activate: ({ onUser }) => onUser('patch', '', { active: true }),
    lock: ({ onUser }) => onUser('post', '/lock', { reason: 'Laptop stolen' }),
    unlock: ({ onUser }) => onUser('post', '/unlock'),
    rename: ({ onUser }) => onUser('patch', '', { displayName: newEmail() }),
    'change the address back and forth': async ({ onUser, email, find }) => {
      const { id, subOrgId } = await find()
      await onUser('patch', '', { email: newEmail() })
      await tenant.patch(`/v1/users/${id}`, { subOrgId, email })
    },
    restore: async ({ find, subOrgId }) => {
      const { id } = await find()
      await tenant.delete(`/v1/users/${id}?subOrgId=${subOrgId}`)
      await tenant.post(`/v1/users/${id}/restore`, { subOrgId })
    },
  }

  test('after any sequence of calls', async () => {
    const sequences = fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 2, maxLength: 9 })
    await fc.assert(
      fc.asyncProperty(sequences, async (names) => {
        const who = await newcomer()
        for (const name of names) {
          await app.advance(61)
          // A refused request changes nothing.
          await acts[name]?.(who).catch(() => {})
          const user = await who.find()
          if (!user) continue
          const last = (await eventsOf('user.', user.id)).at(-1)
          expect([name, last && statusOf(last)]).toEqual([name, user.status])
        }
      }),
      { numRuns: 15, endOnFailure: true },
    )
  })
})

describe('an invitation is accepted by whoever comes in', () => {
  const ways: [string, string, (who: Newcomer) => Promise<unknown>][] = [
    ['its link', 'invite', ({ accept }) => accept()],
    ['a code', 'otp', ({ byCode }) => byCode()],
    ['a provider', 'social', ({ byProvider }) => byProvider()],
    ['a reset link', 'password', ({ byReset }) => byReset()],
  ]

  test.each(ways)('by %s', async (_, by, comeIn) => {
    const who = await newcomer()
    const { invite } = succeeded(await who.invite())
    await comeIn(who)
    const [accepted] = await who.invites()
    expect(accepted).toEqual({
      ...invite,
      status: 'accepted',
      accepted_at: expect.any(String),
      accepted_by: by,
    })
    expect((await eventsOf('invite.', invite.id)).map(({ type, data }) => [type, data])).toEqual([
      ['invite.created', invite],
      ['invite.accepted', accepted],
    ])
    const again = await who.accept()
    expect([again.status, again.body.code, again.body.reason]).toEqual([400, 'token_invalid', 'used'])
    const { url } = await mailedLink(app, who.email, 'invite')
    const page = await fetch(url.replace(/^http:\/\/[^/]+/, app.baseUrl))
    expect(await page.text()).toContain('Your invitation was already accepted, so you can sign in.')
    const withdrawn = await tenant.delete(`/v1/users/invites/${invite.id}?subOrgId=${who.subOrgId}`)
    expect([withdrawn.status, withdrawn.body.code]).toEqual([409, 'invite_accepted'])
  })

  test('also by a password, of a user whose address is proved, whatever is done to it', async () => {
    const who = await newcomer()
    succeeded(await who.create())
    await who.byCode()
    succeeded(await who.setPassword())
    for (const comeIn of [who.byPassword, who.byReset]) {
      const { invite } = succeeded(await who.invite())
      succeeded(await comeIn())
      expect((await who.invites()).at(-1)).toMatchObject({ id: invite.id, status: 'accepted', accepted_by: 'password' })
      expect((await eventsOf('invite.', invite.id)).map(({ type }) => type)).toEqual([
        'invite.created',
        'invite.accepted',
      ])
    }
  })

  test('but not by a password of an address that nothing has proved', async () => {
    const who = await newcomer()
    const { invite, user } = succeeded(await who.invite())
    succeeded(await who.setPassword())
    const { invite: renewed } = succeeded(await who.invite())
    expect(renewed.id).not.toBe(invite.id)
    for (const _ of [1, 2]) succeeded(await who.byPassword())
    expect((await who.invites()).at(-1)).toMatchObject({ status: 'pending', accepted_by: null })
    expect((await statuses(user.id)).slice(1)).toEqual([
      // Setting the password voided the first invitation.
      ['user.updated', 'invited', 'active'],
      ['user.updated', 'active', 'invited'],
      ['user.updated', 'invited', 'active'],
    ])
    await app.advance(61)
    await who.byCode()
    expect((await who.invites()).at(-1)).toMatchObject({ status: 'accepted', accepted_by: 'otp' })
  })

  test('a withdrawn one stays withdrawn', async () => {
    const who = await newcomer()
    const { invite } = succeeded(await who.invite())
    await who.withdraw()
    await who.byCode()
    expect(await who.invites()).toMatchObject([{ status: 'revoked', accepted_at: null, accepted_by: null }])
    expect((await eventsOf('invite.', invite.id)).map(({ type }) => type)).toEqual(['invite.created', 'invite.revoked'])
  })

  test('simultaneous sign-ins accept it once', async () => {
    const who = await newcomer()
    succeeded(await who.create())
    await who.byCode()
    succeeded(await who.setPassword())
    const { invite } = succeeded(await who.invite())
    for (const reply of await Promise.all([1, 2, 3].map(() => who.byPassword()))) succeeded(reply)
    expect((await eventsOf('invite.', invite.id)).map(({ type }) => type)).toEqual([
      'invite.created',
      'invite.accepted',
    ])
  })
})

test('an invitation says whether its roles were given', async () => {
  const who = await newcomer()
  const applied = async (body: object) => {
    const { roles_applied, user } = succeeded(await who.invite(body))
    return [roles_applied, user.role]
  }
  expect(await applied({ role: 'admin' })).toEqual([true, 'admin'])
  expect(await applied({})).toEqual([null, 'admin'])
  await who.byCode()
  await app.advance(61)
  expect(await applied({ role: 'member' })).toEqual([false, 'admin'])
  const again = await who.onUser('post', '/invite', { role: 'member' })
  expect(succeeded(again)).toMatchObject({ success: true, roles_applied: false })
})
