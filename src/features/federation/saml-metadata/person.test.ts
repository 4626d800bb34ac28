import { expect, test } from 'vitest'
import { type AttributeMapping, readPerson } from './person.ts'

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const EMAIL = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'

function read(
  attributes: Record<string, string[]>,
  mapping: AttributeMapping = {},
  nameId = { value: 'u-1', format: PERSISTENT },
) {
  const assertion = {
    nameId: { nameQualifier: null, spNameQualifier: null, ...nameId },
    attributes: new Map(Object.entries(attributes)),
    authnContext: null,
  }
  return readPerson(assertion, mapping)
}

const ada = { email: 'ada@acme.com', firstName: 'Ada', lastName: 'Lovelace' }

test.each([
  ['Okta and JumpCloud', { email: ['ada@acme.com'], firstName: ['Ada'], lastName: ['Lovelace'], groups: ['a', 'b'] }],
  [
    'Entra ID',
    {
      [`${CLAIMS}/emailaddress`]: ['ada@acme.com'],
      [`${CLAIMS}/givenname`]: ['Ada'],
      [`${CLAIMS}/surname`]: ['Lovelace'],
      [`${CLAIMS}/name`]: ['ada_acme.com#EXT#@acme.onmicrosoft.com'],
      'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups': ['a', 'b'],
    },
  ],
  [
    'AD FS',
    {
      [`${CLAIMS}/emailaddress`]: ['ada@acme.com'],
      [`${CLAIMS}/givenname`]: ['Ada'],
      [`${CLAIMS}/surname`]: ['Lovelace'],
      'http://schemas.xmlsoap.org/claims/Group': ['a', 'b'],
    },
  ],
  [
    'OneLogin',
    { 'User.email': ['ada@acme.com'], 'User.FirstName': ['Ada'], 'User.LastName': ['Lovelace'], memberOf: ['a', 'b'] },
  ],
  [
    'Keycloak, by X.500',
    {
      'urn:oid:1.2.840.113549.1.9.1': ['ada@acme.com'],
      'urn:oid:2.5.4.42': ['Ada'],
      'urn:oid:2.5.4.4': ['Lovelace'],
      Role: ['a', 'b'],
    },
  ],
  [
    'directories of schools',
    { 'urn:oid:0.9.2342.19200300.100.1.3': ['ada@acme.com'], GIVENNAME: ['Ada'], SN: ['Lovelace'], groups: ['a', 'b'] },
  ],
])('a person is understood as %s describes one', (_, attributes) => {
  expect(read(attributes)).toMatchObject({ ...ada, subject: 'u-1', groups: ['a', 'b'] })
})

test('the name is the address where the provider says so, or it looks like one', () => {
  const address = { value: 'ada@acme.com', format: EMAIL }
  expect(read({}, {}, address)).toMatchObject({ subject: 'ada@acme.com', email: 'ada@acme.com', groups: null })
  expect(read({}, {}, { ...address, format: PERSISTENT }).email).toBe('ada@acme.com')
  expect(read({}).email).toBeNull()
})

test('a mapping that was set is the only one', () => {
  const mapping = { subject: 'employee', email: 'work', groups: 'teams' }
  const said = { employee: ['7'], work: ['ada@acme.com'], email: ['other@acme.com'], teams: ['x'], groups: ['y'] }
  expect(read(said, mapping)).toMatchObject({ subject: '7', email: 'ada@acme.com', groups: ['x'] })
  const address = { value: 'ada@acme.com', format: EMAIL }
  expect(read({ email: ['other@acme.com'], groups: ['y'] }, mapping, address)).toMatchObject({
    subject: null,
    email: null,
    groups: null,
  })
})

test.each([
  [{ preferredLanguage: ['de_at'], locale: ['fr'] }, 'de-AT'],
  [{ 'urn:oid:2.16.840.1.113730.3.1.39': ['fr-CH, fr;q=0.9'] }, 'fr-CH'],
  [{ LOCALE: ['pt-br', 'en'] }, 'pt-BR'],
  [{ locale: ['German!'] }, null],
  [{}, null],
])('the language is the first that a provider names by a tag: %j', (attributes, locale) => {
  expect(read(attributes).locale).toBe(locale)
})

test('only what says so is a second factor', () => {
  expect(read({ amr: ['pwd', 'mfa'] }).saysTwoFactor).toBe(true)
  expect(read({ amr: ['pwd', 'otp'] }).saysTwoFactor).toBe(false)
  expect(read({}).saysTwoFactor).toBe(false)
})
