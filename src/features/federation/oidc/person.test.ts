import { expect, test } from 'vitest'
import { lacksClaims, showsTwoFactors, toPerson } from './person.ts'

const answer = (idToken: object, userinfo: object | null = null) => ({
  issuer: 'https://idp.example',
  subject: 's',
  idToken: { ...idToken },
  encodedIdToken: '',
  userinfo: userinfo && { ...userinfo },
})

test('email_verified counts beside the address that it stands for', () => {
  const verified = (idToken: object, userinfo: object | null, names = {}) =>
    toPerson(answer(idToken, userinfo), names).emailVerified
  expect(verified({ email: 'a@x.example', email_verified: true }, null)).toBe(true)
  expect(verified({ email: 'a@x.example' }, { email: 'b@x.example', email_verified: true })).toBeNull()
  expect(verified({ email_verified: true }, { email: 'a@x.example' })).toBeNull()
  expect(verified({}, { email: 'a@x.example', email_verified: true })).toBe(true)
  expect(verified({ upn: 'a@x.example', email_verified: true }, null, { email: 'upn' })).toBeNull()
  expect(verified({ upn: 'a@x.example', email_verified: false }, null, { email: 'upn' })).toBeNull()
  for (const no of [false, 'false']) {
    expect(verified({ email: 'a@x.example', email_verified: no }, null)).toBe(false)
    expect(verified({}, { email: 'a@x.example', email_verified: no })).toBe(false)
    expect(verified({ email: 'a@x.example' }, { email: 'a@x.example', email_verified: no })).toBe(false)
  }
  for (const unclear of ['true', 1, 0, null]) {
    expect(verified({ email: 'a@x.example', email_verified: unclear }, null)).toBeNull()
  }
})

test('claims are found by their name, or by a path', () => {
  const claims = { 'https://x.example/groups': ['a'], realm_access: { roles: ['b', 7, ' '] }, roles: 'c' }
  const groups = (name: string) => toPerson(answer(claims), { groups: name }).groups
  expect(groups('https://x.example/groups')).toEqual(['a'])
  expect(groups('realm_access.roles')).toEqual(['b'])
  expect(groups('roles')).toEqual(['c'])
  expect([groups('nothing'), groups('constructor'), groups('realm_access.roles.length')]).toEqual([null, null, null])
})

test('userinfo is asked for what the ID token lacks and the sign-in needs', () => {
  const lacks = (claims: object, needsGroups: boolean, externalId: string | null = null) =>
    lacksClaims({ ...claims }, { names: {}, needsGroups, externalId })
  expect(lacks({ email: 'a@x.example' }, false)).toBe(false)
  expect(lacks({ email: 'a@x.example' }, true)).toBe(true)
  expect(lacks({ groups: [] }, true)).toBe(true)
  expect(lacks({ email: 'a@x.example', groups: [] }, true)).toBe(false)
  expect(lacks({ email: 'a@x.example' }, false, 'employee')).toBe(true)
  expect(lacks({ email: 'a@x.example', employee: '7' }, false, 'employee')).toBe(false)
})

test.each([
  [['mfa'], null, true],
  [['pwd', 'otp'], null, true],
  [['hwk', 'fpt'], null, true],
  [['pwd', 'pin'], null, false],
  [['otp', 'sms'], null, false],
  [['pwd'], null, false],
  [[], null, false],
  [[], 'urn:okta:loa:2fa:any', true],
  [['pwd'], 'urn:okta:loa:1fa:any', false],
])('%j and %j show two factors: %s', (amr, acr, shows) => expect(showsTwoFactors({ amr, acr })).toBe(shows))
