import { describe, expect, test } from 'vitest'
import { matchesResource } from '../patch/filter-match.ts'
import { ENTERPRISE_USER_SCHEMA, userType } from './core-schemas.ts'
import { ScimLanguageError } from './error.ts'
import { parseFilter } from './filter.ts'

const name = (text: string) => {
  const [name = '', sub = null] = text.split('.')
  return { urn: null, name, sub }
}
const eq = (attribute: string, value: string | number | boolean | null) => ({
  kind: 'compare',
  attribute: name(attribute),
  operator: 'eq',
  value,
})

describe('a filter (RFC 7644 §3.4.2.2)', () => {
  test.each([
    ['userName eq "bjensen"', eq('userName', 'bjensen')],
    ['userName Eq "bjensen"', eq('userName', 'bjensen')],
    ['  userName  eq  "b"  ', eq('userName', 'b')],
    ['title pr', { kind: 'present', attribute: name('title') }],
    ['name.familyName co "O\'Malley"', { ...eq('name.familyName', "O'Malley"), operator: 'co' }],
    ['a eq "\\u00e9\\n\\"\\\\"', eq('a', 'é\n"\\')],
    ['a eq true', eq('a', true)],
    ['a eq null', eq('a', null)],
    ['a eq -1.5e3', eq('a', -1500)],
    [
      `${ENTERPRISE_USER_SCHEMA}:manager.displayName eq "x"`,
      { ...eq('a', 'x'), attribute: { urn: ENTERPRISE_USER_SCHEMA, name: 'manager', sub: 'displayName' } },
    ],
    [
      'a eq 1 and b eq 2 or c eq 3',
      { kind: 'or', filters: [{ kind: 'and', filters: [eq('a', 1), eq('b', 2)] }, eq('c', 3)] },
    ],
    [
      'a eq 1 OR b eq 2 AND c eq 3',
      { kind: 'or', filters: [eq('a', 1), { kind: 'and', filters: [eq('b', 2), eq('c', 3)] }] },
    ],
    [
      '(a eq 1 or b eq 2) and c eq 3',
      { kind: 'and', filters: [{ kind: 'or', filters: [eq('a', 1), eq('b', 2)] }, eq('c', 3)] },
    ],
    ['not (a eq 1)', { kind: 'not', filter: eq('a', 1) }],
    ['NOT(a eq 1)and b eq 2', { kind: 'and', filters: [{ kind: 'not', filter: eq('a', 1) }, eq('b', 2)] }],
    ['not eq 1', null],
    ['notes eq 1', eq('notes', 1)],
    ['orders eq 1 and android eq 2', { kind: 'and', filters: [eq('orders', 1), eq('android', 2)] }],
    [
      'emails[type eq "work" and not (value co "@x")]',
      {
        kind: 'elements',
        attribute: name('emails'),
        filter: {
          kind: 'and',
          filters: [eq('type', 'work'), { kind: 'not', filter: { ...eq('value', '@x'), operator: 'co' } }],
        },
      },
    ],
    [
      'emails[type eq "work"].value eq "a@b"',
      {
        kind: 'elements',
        attribute: name('emails'),
        filter: { kind: 'and', filters: [eq('type', 'work'), eq('value', 'a@b')] },
      },
    ],
    [
      'members[$ref pr]',
      { kind: 'elements', attribute: name('members'), filter: { kind: 'present', attribute: name('$ref') } },
    ],
  ])('%s', (text, filter) => {
    if (filter) expect(parseFilter(text)).toEqual(filter)
    else expect(() => parseFilter(text)).toThrow(ScimLanguageError)
  })

  test.each([
    '',
    ' ',
    'userName',
    'userName eq',
    'userName eq "',
    'userName eq "a',
    'userName eq "a\\"',
    'userName eq a',
    'userName eq "a" and',
    'userName eq "a" or or a pr',
    'userName eq "a" "b"',
    'userName == "a"',
    "userName eq 'a'",
    'userName eq 01',
    'userName eq 1e999',
    'userName eq "\\x"',
    'userName eq "\t"',
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'user name eq "a"',
    '9a pr',
    'a.b.c pr',
    'a..b pr',
    '.a pr',
    'a. pr',
    ':a pr',
    'urn: pr',
    'http://x:a pr',
    '__proto__ pr',
    'a.__proto__ pr',
    'constructor pr',
    'a[constructor pr]',
    '(a pr',
    'a pr)',
    'a pr]',
    'a[b pr',
    'a[]',
    'a[b pr)',
    'a[b[c pr]]',
    'a[b.c pr]',
    'a[urn:x:y:b pr]',
    'a.b[c pr]',
    'a[b pr].c',
    'a[b pr].',
    'a[b pr]. c pr',
    'a [b pr]',
    'not a pr',
    'not (a pr',
    '()',
    '(a pr) b pr',
    `${'('.repeat(11)}a pr${')'.repeat(11)}`,
    `${'not ('.repeat(11)}a pr${')'.repeat(11)}`,
    `a eq "${'x'.repeat(2_048)}"`,
  ])('%s is refused', (text) => {
    const refuse = () => parseFilter(text)
    expect(refuse).toThrow(ScimLanguageError)
    expect(refuse).toThrow(expect.objectContaining({ scimType: 'invalidFilter' }))
  })

  test('10 brackets within each other are allowed', () => {
    expect(parseFilter(`${'('.repeat(9)}a[b pr]${')'.repeat(9)}`)).toMatchObject({ kind: 'elements' })
  })

  test('a refusal says where and what', () => {
    expect(() => parseFilter('userName is "a"')).toThrow(
      'The filter is not understood at character 10: expected one of eq, ne, co, sw, ew, gt, ge, lt, le, pr.',
    )
  })
})

describe('what a filter matches (RFC 7644 table 3)', () => {
  const ada = {
    id: '2819C223',
    userName: 'Ada@acme.com',
    externalId: 'X1',
    active: true,
    title: '',
    name: { givenName: 'Ada', familyName: 'Byron' },
    emails: [
      { value: 'ada@acme.com', type: 'work', primary: true },
      { value: 'ada@home.org', type: 'home' },
    ],
    x509Certificates: [{ value: 'QUJD' }],
    meta: { lastModified: '2026-11-01T10:00:00.123Z' },
    [ENTERPRISE_USER_SCHEMA]: { department: 'R&D', manager: { value: '7' } },
  }
  test.each([
    ['userName eq "ADA@ACME.COM"', true],
    ['USERNAME eq "ada@acme.com"', true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada@acme.com"', true],
    ['userName ne "ada@acme.com"', false],
    ['externalId eq "X1"', true],
    ['externalId eq "x1"', false],
    ['id eq "2819c223"', false],
    ['userName co "ACME"', true],
    ['userName sw "ada"', true],
    ['userName ew ".com"', true],
    ['userName sw "acme"', false],
    ['title pr', false],
    ['nickName pr', false],
    ['nickName eq null', true],
    ['nickName ne "x"', true],
    ['not (nickName eq "x")', true],
    ['name pr', true],
    ['userName gt "ad"', true],
    ['userName lt "ad"', false],
    ['active eq true', true],
    ['active eq "True"', true],
    ['emails co "home.org"', true],
    ['emails.type eq "other"', false],
    ['emails.value eq "ADA@home.org"', true],
    ['emails[type eq "work" and value co "home.org"]', false],
    ['emails[type eq "home" and value co "home.org"]', true],
    ['emails[primary ne true]', true],
    ['emails[not (type eq "work")].value sw "ada"', true],
    ['phoneNumbers pr', false],
    ['phoneNumbers ne "1"', false],
    ['phoneNumbers eq null', true],
    ['x509Certificates eq "qujd"', false],
    ['meta.lastModified ge "2026-11-01T11:00:00.123+01:00"', true],
    ['meta.lastModified gt "2026-11-01T10:00:00.123Z"', false],
    [`${ENTERPRISE_USER_SCHEMA.toUpperCase()}:department eq "r&d"`, true],
    [`${ENTERPRISE_USER_SCHEMA}:manager eq "7"`, true],
    [`${ENTERPRISE_USER_SCHEMA}:manager.value eq "8"`, false],
  ])('%s: %s', (filter, matches) => {
    expect(matchesResource(userType, ada, parseFilter(filter))).toBe(matches)
  })

  test.each([
    'active gt true',
    'active co "t"',
    'active eq "yes"',
    'x509Certificates gt "a"',
    'meta.lastModified eq "yesterday"',
    'meta.lastModified eq "0000-01-01T00:00:00Z"',
    'meta.lastModified sw "2026"',
    'userName eq 1',
    'userName gt null',
    'active eq 1',
  ])('%s is refused', (filter) => {
    expect(() => matchesResource(userType, ada, parseFilter(filter))).toThrow(
      expect.objectContaining({ scimType: 'invalidFilter' }),
    )
  })
})
