import { expect, test } from 'vitest'
import { fresh } from '../fresh.ts'
import { identitiesOf, makeWorld, newLocal, peopleAt, type Told, type World } from '../peers/introductions.ts'
import { startOpPeer } from '../peers/op-peer.ts'
import { newPasskey } from '../people/authenticator.ts'
import { succeeded } from '../people/factors.ts'
import { startFederatedApp } from '../people/oidc-organization.ts'
import { register, signInBy } from '../people/passkeys.ts'
import { sendSignupCode, signIn } from '../people/sign-in.ts'

const federated = await startFederatedApp()
const { app } = federated
const op = await startOpPeer()
const PASSWORD = 'correct horse battery staple'

/** A person as the provisioning client and the identity provider have them. */
interface Case {
  resource: { userName: string; externalId: string; emails?: object[] }
  /** What the client changes once it has added the person. */
  rename: string | null
  told: Told
  /** What the provider says before a rename. */
  toldBefore: Told
  /** The address that the client names. */
  address: string
}

const email = (value: string, primary = true) => ({ value, type: primary ? 'work' : 'other', primary })

const variants: Record<string, (at: (local: string) => string) => Omit<Case, 'toldBefore'>> = {
  'the same address': (at) => {
    const [a] = [at(newLocal())]
    const resource = { userName: a, externalId: fresh(), emails: [email(a)] }
    return { resource, rename: null, told: { subject: fresh(), email: a }, address: a }
  },
  'UPN ≠ mail': (at) => {
    const [upn, mail] = [at(newLocal()), at(newLocal())]
    const resource = { userName: upn, externalId: fresh(), emails: [email(mail)] }
    return { resource, rename: null, told: { subject: fresh(), email: upn, upn }, address: mail }
  },
  'a userName alone': (at) => {
    const [upn, mail] = [at(newLocal()), at(newLocal())]
    const resource = { userName: upn, externalId: fresh() }
    return { resource, rename: null, told: { subject: fresh(), email: mail, upn }, address: upn }
  },
  'externalId = subject': (at) => {
    const [a, other, subject] = [at(newLocal()), at(newLocal()), fresh()]
    const resource = { userName: a, externalId: subject, emails: [email(a)] }
    return { resource, rename: null, told: { subject, email: other }, address: a }
  },
  'a secondary address': (at) => {
    const [a, second] = [at(newLocal()), at(newLocal())]
    const resource = { userName: a, externalId: fresh(), emails: [email(a), email(second, false)] }
    return { resource, rename: null, told: { subject: fresh(), email: second }, address: a }
  },
  renamed: (at) => {
    const [before, after, subject] = [at(newLocal()), at(newLocal()), fresh()]
    const resource = { userName: before, externalId: fresh() }
    return { resource, rename: after, told: { subject, email: after }, address: before }
  },
}

/** Which of them introduces the person first, and in which order. `here`: by the address that provisioning names. */
const orders = {
  SCIM: ['scim', 'sso'],
  SSO: ['sso', 'scim', 'sso'],
  'SSO, a private address': ['sso', 'move', 'scim', 'sso'],
  'an invitation, SCIM': ['invite here', 'scim', 'sso'],
  'an invitation, SSO': ['invite here', 'sso', 'scim', 'sso'],
  'an invitation of the address at the provider, SCIM': ['invite there', 'scim', 'sso'],
  'an invitation of the address at the provider, SSO': ['invite there', 'sso', 'scim', 'sso'],
  'a sign-up, SCIM': ['signup here', 'scim', 'sso'],
  'a sign-up, SSO': ['signup here', 'sso', 'scim', 'sso'],
  'a sign-up with the address at the provider, SCIM': ['signup there', 'scim', 'sso'],
  'a sign-up with the address at the provider, SSO': ['signup there', 'sso', 'scim', 'sso'],
} as const
type Order = keyof typeof orders

/**
 * Where the person is two users. Both introducers of the other user know an address that the second introducer does not
 * name, and no source has vouched that both belong to one person. A match would give one mailbox to the owner of the other.
 */
function whyTwo(order: Order, { address, toldBefore }: Case): string | null {
  const [first, second] = orders[order]
  const differs = address !== toldBefore.email
  if (first === 'scim' || first === 'sso' || !differs) return null
  if (first.endsWith(' there') && second === 'scim') return 'provisioning names another address than the user has'
  if (first.endsWith(' here') && second === 'sso') return 'the provider names another address than the user has'
  return null
}

/** Where the person is two users, whether the provider still opens the provisioned one, by its externalId or userName. */
function opensProvisioned(order: Order, { told, resource }: Case): boolean {
  const [first, second] = orders[order]
  const isNamed = told.subject === resource.externalId || told.upn === resource.userName
  return first.endsWith(' there') && second === 'scim' && isNamed
}

/**
 * The user of the address at the provider is another one than the provisioned user. The provider opens it, unless it also says
 * the userName of the provisioned user: no deprovisioning would reach the person.
 */
async function expectTwo(world: World, { address, told, resource }: Case, opened: string | undefined) {
  const shown = async (id = '') => succeeded(await world.key.get(`/v1/users/${id}`)).user
  const [[own], [owner]] = [await peopleAt(world, [told.email]), await peopleAt(world, [address])]
  expect(await shown(own)).toMatchObject({ email: told.email, scimManaged: false })
  expect(owner).not.toBe(own)
  expect(await shown(owner)).toMatchObject({ scimManaged: true })
  expect(opened).toBe(told.upn === resource.userName ? undefined : own)
  if (opened !== undefined || own === undefined) return
  expect(await world.signIn(told)).toMatchObject({ error: 'account_not_linked' })
  for (const { id } of await identitiesOf(world, own))
    succeeded(await world.key.delete(`/v1/users/${own}/identities/${id}`))
  expect(await world.signIn(told)).toMatchObject({ directory_user_id: owner })
}

async function introduce(world: World, step: string, one: Case): Promise<Record<string, string> | null> {
  const { key, subOrgId, client } = world
  const invited = step.endsWith(' here') ? one.address : one.toldBefore.email
  if (step.startsWith('invite')) {
    const { invite } = succeeded(await key.post('/v1/users/invites', { email: invited, deliver: false }))
    const token = new URL(invite.invite_url).searchParams.get('token_hash') ?? ''
    succeeded(await key.post('/v1/auth/invite/accept', { token, password: PASSWORD }))
  }
  if (step.startsWith('signup')) {
    const sent = await sendSignupCode(app, key, { subOrgId, email: invited })
    succeeded(await key.post('/v1/auth/signup/otp/verify', sent))
  }
  if (step === 'move') {
    const [id] = await peopleAt(world, [one.toldBefore.email])
    succeeded(await key.patch(`/v1/users/${id}`, { email: `me-${fresh()}@private.example` }))
  }
  if (step === 'scim') {
    const made = await client.call('POST', '/Users', one.resource)
    expect(made.status, made.text).toBe(201)
    if (one.rename !== null) await operate(world, made.body.id, { userName: one.rename })
  }
  return null
}

async function operate({ client }: World, id: string, values: Record<string, unknown>) {
  const Operations = Object.entries(values).map(([path, value]) => ({ op: 'Replace', path, value }))
  const reply = await client.call('PATCH', `/Users/${id}`, { Operations })
  expect(reply.status, reply.text).toBe(200)
}

const worlds = new Map<string, Promise<World>>()

/** One organization of each kind, which makes users of unknown people all the same. */
function worldOf(protocol: 'oidc' | 'saml', isLinked: boolean): Promise<World> {
  const name = `${protocol} ${isLinked}`
  const known = worlds.get(name)
  if (known) return known
  const made = makeWorld(federated, op, protocol, { jit_provisioning: true }).then(async (world) => {
    if (isLinked) await world.configure({ sso_connection_id: world.connectionId })
    succeeded(await world.key.patch('/v1/auth/settings', { allow_sign_up: true }))
    // More codes for one person in a minute than people ask for.
    succeeded(await world.key.patch('/v1/otp/settings', { rate_limit_per_minute: 60, resend_interval_seconds: 0 }))
    return world
  })
  worlds.set(name, made)
  return made
}

const protocols = [
  ['oidc', true],
  ['oidc', false],
  ['saml', true],
  ['saml', false],
] as const
const isTried = (order: string, protocol: string, isLinked: boolean) =>
  ['SCIM', 'SSO'].includes(order) || isLinked === (protocol === 'oidc')

const cases = Object.keys(orders).flatMap((order) =>
  Object.keys(variants).flatMap((variant) =>
    protocols
      .filter(([protocol, isLinked]) => isTried(order, protocol, isLinked))
      .map(([protocol, isLinked]) => [order, variant, protocol, isLinked] as [Order, string, 'oidc' | 'saml', boolean]),
  ),
)

/** The ways in of a person that depend on the connection alone, each as what it is answered with. */
async function waysByProvider(world: World, { told }: Case, id: string) {
  const { access_token: token, ...sso } = await world.signIn(told)
  expect(sso['directory_user_id']).toBe(id)
  return async () => ({
    introspection: (await world.key.post('/v1/auth/token/introspect', { token })).body.active,
    sso: 'access_token' in (await world.signIn(told)),
  })
}

/** Every way in that the person has, each as what it is answered with. */
async function everyWayOf(world: World, { told }: Case, id: string) {
  const { key, subOrgId } = world
  const { email: address } = succeeded(await key.get(`/v1/users/${id}`)).user
  succeeded(await key.put(`/v1/users/${id}/password`, { password: PASSWORD }))
  const passkey = newPasskey()
  succeeded(await register(key, { subOrgId, userId: id }, passkey))
  const session = await signIn(app, key, subOrgId, address)
  const sso = await world.signIn(told)
  expect(sso['directory_user_id']).toBe(id)
  const holder = { subOrgId, userId: id, email: address, passkey, credentialId: '' }
  const link = async () => {
    const sent = await key.post('/v1/auth/login/magic-link/send', { email: address, deliver: false })
    const { url } = sent.body
    if (sent.status !== 200 || !url) return false
    const token_hash = new URL(url).searchParams.get('token_hash')
    return (await key.post('/v1/auth/login/magic-link/verify', { email: address, token_hash })).status === 200
  }
  const code = () => signIn(app, key, subOrgId, address).then(Boolean, () => false)
  return async () => ({
    introspection: (
      await Promise.all(
        [session.access_token, sso['access_token']].map((token) => key.post('/v1/auth/token/introspect', { token })),
      )
    ).some(({ body }) => body.active),
    refresh: (await key.post('/v1/auth/token/refresh', { refresh_token: session.refresh_token })).status === 200,
    sso: 'access_token' in (await world.signIn(told)),
    code: await code(),
    link: await link(),
    password: (await key.post('/v1/auth/login/password', { email: address, password: PASSWORD })).status === 200,
    passkey: (await signInBy(key, holder)).status === 200,
  })
}

/** Sessions from before stay ended. */
const ENDED = ['introspection', 'refresh']
const openOf = (ways: Record<string, boolean>) => Object.keys(ways).filter((way) => ways[way])

test.each(cases)('first %s; %s; by %s, linked %s', async (order, variant, protocol, isLinked) => {
  const world = await worldOf(protocol, isLinked)
  const made = variants[variant]?.(world.at)
  if (!made) throw new Error('No variant')
  const before = { ...made.told, email: made.rename === null ? made.told.email : made.address }
  const one: Case = { ...made, toldBefore: before }
  // A person that the provider named before the rename is found by the subject alone.
  if (one.rename !== null && orders[order].slice(0, 2).includes('sso') && orders[order][0] !== 'scim')
    one.resource.externalId = one.told.subject
  const { key, client } = world
  const addresses = [one.address, one.told.email, before.email, one.rename ?? one.address]
  let opened: string | undefined
  for (const [n, step] of orders[order].entries()) {
    const isLast = n === orders[order].length - 1
    if (step === 'sso') opened = (await world.signIn(isLast ? one.told : before))['directory_user_id']
    else if (step === 'scim' && whyTwo(order, one) && one.resource.externalId === one.told.subject && opened) {
      // The externalId is of one user, and the address of another: which of them is meant, the administrator has to say.
      expect((await client.call('POST', '/Users', one.resource)).status).toBe(409)
      expect(await peopleAt(world, addresses)).toHaveLength(2)
      return
    } else await introduce(world, step, one)
  }
  const people = await peopleAt(world, addresses)
  if (whyTwo(order, one) !== null) {
    expect(people).toHaveLength(2)
    if (!opensProvisioned(order, one)) return expectTwo(world, one, opened)
  } else expect(people).toEqual([opened])
  if (opened === undefined) throw new Error('No sign-in opened a user')
  const user = succeeded(await key.get(`/v1/users/${opened}`)).user
  expect(user).toMatchObject({ scimManaged: true, active: true })
  // Codes, links, passwords and passkeys know of no protocol.
  const ways = await (protocol === 'oidc' && isLinked ? everyWayOf : waysByProvider)(world, one, opened)
  await operate(world, opened, { active: 'False' })
  expect(openOf(await ways())).toEqual([])
  await operate(world, opened, { active: 'True' })
  const again = await ways()
  expect(openOf(again)).toEqual(Object.keys(again).filter((way) => !ENDED.includes(way)))
  expect((await client.call('DELETE', `/Users/${opened}`)).status).toBe(204)
  expect(openOf(await ways())).toEqual([])
  expect(await peopleAt(world, addresses)).toHaveLength(people.length)
})
