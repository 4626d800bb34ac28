import { describe, expect, test } from 'vitest'
import { type Caller, type Reply, startApp } from '../../../../test/harness.ts'
import { succeeded } from '../../../../test/people/factors.ts'
import {
  mailLinkTo,
  type OrganizationLinkType,
  organizationLinkTypes,
  purposeNames,
  redeemBody,
  redeemedAt,
} from '../../../../test/people/mailed-links.ts'
import { newEmail } from '../../../../test/people/people.ts'
import { mailedLink } from '../../../../test/people/sign-in.ts'
import { joinedMember } from '../../../../test/people/team.ts'
import { ofRequests, recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { snapshot } from '../../../../test/snapshot.ts'
import { ID_LENGTH, SECRET_LENGTH } from '../../../platform/crypto/tokens.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import { routes } from '../../../wiring/routes.ts'
import { serviceIds } from '../../tenancy/services/selection.ts'
import { TokenHash } from './schema.ts'
import { makeLinkToken } from './token.ts'

// An org-wide key redeems mailed tokens without `subOrgId`, because the token identifies the organization.

const app = await startApp()
const tenant = await app.tenant()
const strangers = await app.tenant()
const staging = { ...tenant, ...(await tenant.withKey({ environment: 'staging' })) }
const DAY = 86_400

type Mailed = Awaited<ReturnType<typeof mailLinkTo>>

const send = (caller: Pick<Caller, 'post'>, type: OrganizationLinkType, body: object) =>
  caller.post(redeemedAt[type], body)

/** Redeems a link without `subOrgId`, unless `more` has it. */
const redeem = (caller: Pick<Caller, 'post'>, type: OrganizationLinkType, { person, link }: Mailed, more = {}) =>
  send(caller, type, { ...redeemBody(type, person.email, link.token_hash), ...more })

const verdict = ({ status, body }: Reply) => [status, body.code ?? null, body.reason ?? null]
/** Everything that a caller learns from a response, without the request id and secrets. */
const learned = ({ status, body }: Reply) => ({ status, body: { ...body, request_id: null } })

const failures = async (accountId = tenant.accountId) =>
  (await app.events({ accountId, type: 'auth.login.failed' })).filter(
    ({ data }) => !JSON.stringify(data).includes('no_password'),
  )

test('every route that takes the token of an organization declares its field', () => {
  const taking = routes.filter(
    ({ auth, body }) => auth === 'key' && Object.values(body?.properties ?? {}).includes(TokenHash),
  )
  const declared = taking.filter(({ organizationToken }) => organizationToken !== null).map(({ path }) => path)
  expect(declared.sort()).toEqual(Object.values(redeemedAt).sort())
  const others = taking.filter(({ organizationToken }) => organizationToken === null).map(({ path }) => path)
  expect(others).toEqual(['/v1/auth/discovery/magic-link/verify'])
})

describe.each(organizationLinkTypes)('%s', (type) => {
  test('an org-wide key redeems it in each organization of the account, and there alone', async () => {
    const [one, other] = [await mailLinkTo(app, tenant, type), await mailLinkTo(app, tenant, type)]
    const before = (await app.events({ accountId: tenant.accountId })).length
    const [first, second] = [
      await redeem(tenant, type, one, { subOrgId: one.person.subOrgId }),
      await redeem(tenant, type, other),
    ]
    expect([first.status, second.status], second.text).toEqual([200, 200])
    expect(Object.keys(second.body)).toEqual(Object.keys(first.body))
    const recorded = (await app.events({ accountId: tenant.accountId })).slice(before)
    const typesIn = (subOrgId: string) =>
      recorded.filter((event) => event.organization_id === subOrgId).map((event) => event.type)
    expect(typesIn(other.person.subOrgId)).toEqual(typesIn(one.person.subOrgId))
    expect(recorded.every((event) => event.organization_id !== null)).toBe(true)
    // A used token is refused and recorded in the same way as with `subOrgId`.
    const seen = (await failures()).length
    const again = [
      await redeem(tenant, type, other, { subOrgId: other.person.subOrgId }),
      await redeem(tenant, type, other),
    ]
    expect(again.map(verdict)).toEqual([verdict(again[0] ?? second), [400, 'token_invalid', again[0]?.body.reason]])
    const { subOrgId } = other.person
    const data = { method: purposeNames[type], reason: 'token_invalid' }
    expect((await failures()).slice(seen)).toMatchObject([
      { organization_id: subOrgId, data },
      { organization_id: subOrgId, data },
    ])
  })

  test('expired, it is refused and recorded in its organization', async () => {
    const mailed = await mailLinkTo(app, tenant, type)
    const { subOrgId } = mailed.person
    await app.advance(8 * DAY)
    const seen = (await failures()).length
    const [named, unnamed] = [await redeem(tenant, type, mailed, { subOrgId }), await redeem(tenant, type, mailed)]
    expect(verdict(named)).toEqual([400, 'token_expired', null])
    expect(learned(unnamed)).toEqual(learned(named))
    const recorded = (await failures()).slice(seen)
    expect(recorded.map((event) => event.organization_id)).toEqual([subOrgId, subOrgId])
    expect(recorded[1]?.data).toEqual(recorded[0]?.data)
  })

  test('a key of another organization, or the name of one, refuses it', async () => {
    const mailed = await mailLinkTo(app, tenant, type)
    const other = await tenant.organization()
    const limited = await tenant.withKey({ subOrgId: other })
    for (const reply of [await redeem(tenant, type, mailed, { subOrgId: other }), await redeem(limited, type, mailed)])
      expect(verdict(reply)).toEqual([400, 'token_invalid', null])
    const own = await tenant.withKey({ subOrgId: mailed.person.subOrgId })
    expect((await redeem(own, type, mailed)).status).toBe(200)
  })
})

/** Live tokens from places that an org-wide production key cannot reach, with a caller who can redeem each. */
const outside: Record<
  string,
  (type: OrganizationLinkType) => Promise<{ mailed: Mailed; there: () => Promise<Reply> }>
> = {
  async 'another account'(type) {
    const mailed = await mailLinkTo(app, strangers, type)
    return { mailed, there: () => redeem(strangers, type, mailed) }
  },
  async 'another environment'(type) {
    // A production organization, which both environments have as a tenant.
    const mailed = await mailLinkTo(app, staging, type, { subOrgId: await tenant.organization() })
    return { mailed, there: () => redeem(staging, type, mailed) }
  },
  async 'the team'(type) {
    const { email } = await joinedMember(app, tenant, 'owner')
    const subOrgId = 'team'
    if (type === 'invite') {
      const invited = newEmail()
      succeeded(await tenant.post('/v1/members/invites', { email: invited, role: 'member' }))
      const mailed = { person: { subOrgId, email: invited, userId: null }, link: await mailedLink(app, invited, type) }
      return { mailed, there: () => redeem(tenant, type, mailed, { subOrgId }) }
    }
    succeeded(await tenant.post('/v1/auth/password/reset/send', { subOrgId, email }))
    const mailed = { person: { subOrgId, email, userId: null }, link: await mailedLink(app, email, 'password_reset') }
    return { mailed, there: () => redeem(tenant, 'recovery', mailed, { subOrgId }) }
  },
  async 'the account level'() {
    const mailed = await mailLinkTo(app, tenant, 'discovery')
    const { email, token_hash } = mailed.link
    return { mailed, there: () => tenant.post('/v1/auth/discovery/magic-link/verify', { email, token_hash }) }
  },
}

/** Tokens that the service never issued. */
const made = (token: string): Record<string, string> => ({
  'another tag': token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A'),
  'another secret': token.slice(0, 40) + (token[40] === 'A' ? 'B' : 'A') + token.slice(41),
  'no tag': token.slice(0, ID_LENGTH + SECRET_LENGTH),
  malformed: 'abc',
  'no characters of tokens': '../../etc/passwd%00',
  'too long': token + token,
})

describe.each(Object.keys(outside))('a token of %s', (place) => {
  test.each(organizationLinkTypes)('%s: is refused as a made-up one, unspent', async (type) => {
    const own = await mailLinkTo(app, tenant, type)
    const found = await outside[place]?.(type)
    if (!found) throw new Error(place)
    const { mailed, there } = found
    const { email } = mailed.person
    const madeUp = made(own.link.token_hash)['another tag'] ?? ''
    const { subOrgId } = own.person
    const refused = await send(tenant, type, { ...redeemBody(type, email, madeUp), subOrgId })
    expect(verdict(refused)).toEqual([400, 'token_invalid', null])
    const before = await snapshot(app)
    const tokens = { ...made(mailed.link.token_hash), 'out of reach': mailed.link.token_hash }
    for (const [name, token] of Object.entries(tokens)) {
      const reply = await send(tenant, type, redeemBody(type, email, token))
      expect([name, learned(reply)]).toEqual([name, learned(refused)])
    }
    // No event is recorded either, because it would show the attempt to another organization.
    expect(await snapshot(app)).toEqual(before)
    expect((await there()).status).toBe(200)
  })
})

test.each(organizationLinkTypes)('%s: a made-up token costs no statement', async (type) => {
  const { person, link } = await mailLinkTo(app, tenant, type)
  const tokens = Object.values(made(link.token_hash))
  const all = async () => {
    for (const token of tokens)
      expect((await send(tenant, type, redeemBody(type, person.email, token))).body.code).toBe('token_invalid')
  }
  await all()
  expect(ofRequests(await recordStatements(all))).toEqual([])
})

test.each(organizationLinkTypes)('%s: without a token and an organization, the request names neither', async (type) => {
  const field = type === 'invite' ? 'token' : 'token_hash'
  const missing = await tenant.post(redeemedAt[type], {})
  const detail = `This key reaches every organization. Send the subOrgId of one organization in the query or the body. Or send ${field}, which identifies the organization.`
  expect([...verdict(missing), missing.body.detail]).toEqual([400, 'sub_org_required', null, detail])
  const misspelt = await tenant.post(redeemedAt[type], { tokenHash: 'abc' })
  expect([misspelt.body.code, misspelt.body.errors]).toEqual([
    'sub_org_required',
    [expect.objectContaining({ field: 'tokenHash', code: 'unknown_property' })],
  ])
  expect((await tenant.post(redeemedAt[type], [])).body.code).toBe('sub_org_required')
})

test.each(organizationLinkTypes)('%s: an invalid request is refused as such, whatever its token', async (type) => {
  const [own, foreign] = [await mailLinkTo(app, tenant, type), await mailLinkTo(app, strangers, type)]
  const field = type === 'invite' ? 'token' : 'token_hash'
  const { email } = own.person
  const before = await snapshot(app)
  for (const token of [own.link.token_hash, foreign.link.token_hash, 'abc']) {
    const body = redeemBody(type, email, token)
    const unknown = await send(tenant, type, { ...body, organizationId: own.person.subOrgId })
    expect([unknown.body.code, unknown.body.errors?.[0]?.field]).toEqual(['invalid_request', 'organizationId'])
    for (const value of [null, 1, '', 'a'.repeat(201), ['abc'], { a: 1 }, '\u0000'])
      expect((await send(tenant, type, { ...body, [field]: value })).body.code).toBe('invalid_request')
    const named = { ...body, subOrgId: own.person.subOrgId }
    expect((await tenant.post(`${redeemedAt[type]}?subOrgId=${foreign.person.subOrgId}`, named)).body.code).toBe(
      'sub_org_conflict',
    )
  }
  expect(await snapshot(app)).toEqual(before)
})

test('the token that a password to be changed returns identifies its organization', async () => {
  const subOrgId = await tenant.organization()
  const [email, password] = [newEmail(), 'seven green bottles']
  const { user } = succeeded(await tenant.post('/v1/users', { subOrgId, email }))
  succeeded(await tenant.put(`/v1/users/${user.id}/password`, { subOrgId, password, mustChange: true }))
  const due = await tenant.post('/v1/auth/login/password', { subOrgId, email, password })
  expect(due.body.code).toBe('password_change_required')
  const changed = await send(tenant, 'recovery', redeemBody('recovery', email, due.body.token_hash))
  expect([changed.status, changed.body.session?.directory_user_id]).toEqual([200, user.id])
})

describe('switches of the organization of the token', () => {
  const without = (service: string) => serviceIds.filter((id) => id !== service)

  test('its service is off: refused; at the account level alone: redeemed', async () => {
    const own = await app.tenant()
    const mailed = await mailLinkTo(app, own, 'magiclink')
    const { subOrgId } = mailed.person
    const foreign = await mailLinkTo(app, strangers, 'magiclink')
    succeeded(await own.put('/v1/organization-apps', { subOrgId, enabledAppIds: without('magic_link') }))
    const off = await redeem(own, 'magiclink', mailed)
    expect([...verdict(off), off.body.service]).toEqual([403, 'service_disabled', null, 'magic_link'])
    // A made-up token for the organization does not reveal which services are on.
    const forged = redeemBody('magiclink', mailed.person.email, made(mailed.link.token_hash)['another secret'] ?? '')
    expect(verdict(await send(own, 'magiclink', forged))).toEqual([400, 'token_invalid', null])
    succeeded(await own.put('/v1/organization-apps', { subOrgId, enabledAppIds: serviceIds }))
    succeeded(await own.put('/v1/organization-apps/defaults', { enabledAppIds: without('magic_link') }))
    const { email } = mailed.person
    const madeUp = await send(own, 'magiclink', redeemBody('magiclink', email, 'abc'))
    expect(verdict(madeUp)).toEqual([400, 'token_invalid', null])
    expect(learned(await redeem(own, 'magiclink', foreign))).toEqual(learned(madeUp))
    expect((await redeem(own, 'magiclink', mailed)).status).toBe(200)
  })

  test.each(['suspended', 'archived'])('the organization is %s: refused as with subOrgId', async (status) => {
    for (const type of organizationLinkTypes) {
      const mailed = await mailLinkTo(app, tenant, type)
      const { subOrgId } = mailed.person
      succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status }))
      const [named, unnamed] = [await redeem(tenant, type, mailed, { subOrgId }), await redeem(tenant, type, mailed)]
      expect([type, ...verdict(named)]).toEqual([type, 403, 'organization_suspended', null])
      expect(learned(unnamed)).toEqual(learned(named))
      succeeded(await tenant.patch(`/v1/organizations/${subOrgId}`, { status: 'active' }))
      expect([type, (await redeem(tenant, type, mailed)).status]).toEqual([type, 200])
    }
  })
})

test('the uses of a link are counted together, however its organization is identified', async () => {
  const mailed = await mailLinkTo(app, tenant, 'recovery')
  const weak = () => redeem(tenant, 'recovery', mailed, { password: 'password123' })
  const { subOrgId } = mailed.person
  for (let i = 0; i < 5; i++) {
    expect((await weak()).body.code).toBe('password_breached')
    expect((await redeem(tenant, 'recovery', mailed, { subOrgId, password: 'password123' })).body.code).toBe(
      'password_breached',
    )
  }
  expect((await weak()).body.code).toBe('rate_limited')
})

test('a directory that is left of an organization of another environment is none', async () => {
  const { subOrganization } = succeeded(
    await staging.post('/v1/organizations', { name: 'Staging only', slug: `s-${Date.now()}` }),
  )
  const { db } = app.app.platform
  const id = '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21'
  // An earlier release, without the rule of home environments, stored such rows. No route does.
  await db
    .insertInto('directories')
    .values({
      id,
      account_id: tenant.accountId,
      environment_id: tenant.environmentId,
      organization_id: subOrganization.id,
      kind: 'organization',
    })
    .execute()
  const directory = await findDirectory(app.app.platform, id)
  if (!directory) throw new Error('No directory')
  const token = makeLinkToken(app.app.platform, directory)
  const before = await snapshot(app)
  const reply = await send(tenant, 'magiclink', redeemBody('magiclink', newEmail(), token))
  expect(verdict(reply)).toEqual([400, 'token_invalid', null])
  // A lookup in these places that finds nothing is recorded.
  expect(await snapshot(app)).toEqual(before)
})
