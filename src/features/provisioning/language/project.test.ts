import { expect, test } from 'vitest'
import { ENTERPRISE_USER_SCHEMA, groupType, userType } from './core-schemas.ts'
import { isSelected, project, readSelection } from './project.ts'

const always = { schemas: [userType.schema.id], id: '7' }
const extension = { [ENTERPRISE_USER_SCHEMA]: { department: 'R&D', manager: { value: '8', displayName: 'B' } } }
const all = {
  userName: 'ada',
  name: { givenName: 'Ada', familyName: 'Byron' },
  emails: [{ value: 'a@b', type: 'work' }, { value: 'c@d' }],
  shoeSize: { left: 43, right: 44 },
  ...extension,
  'urn:acme:1.0:User': { badge: 7 },
  meta: { version: 'W/"1"', location: 'x' },
}
const ada = { ...always, ...all, password: 'secret' }

test.each<[string, object, object]>([
  ['everything but a password', {}, all],
  ['attributes', { attributes: 'userName,name.givenName' }, { userName: 'ada', name: { givenName: 'Ada' } }],
  [
    'in any case, with spaces',
    { attributes: ' USERNAME , NAME.GIVENNAME ' },
    { userName: 'ada', name: { givenName: 'Ada' } },
  ],
  ['an array of them', { attributes: ['userName', 'emails.type'] }, { userName: 'ada', emails: [{ type: 'work' }] }],
  ['with the URN of the core schema', { attributes: `${userType.schema.id}:userName` }, { userName: 'ada' }],
  ['a password', { attributes: 'password' }, {}],
  ['nobody has', { attributes: 'nothing' }, {}],
  ['a name that is none', { attributes: '__proto__' }, {}],
  ['an extension', { attributes: ENTERPRISE_USER_SCHEMA.toLowerCase() }, extension],
  [
    'of an extension',
    { attributes: `${ENTERPRISE_USER_SCHEMA}:department` },
    { [ENTERPRISE_USER_SCHEMA]: { department: 'R&D' } },
  ],
  [
    'a part of an extension',
    { attributes: `${ENTERPRISE_USER_SCHEMA}:manager.value` },
    { [ENTERPRISE_USER_SCHEMA]: { manager: { value: '8' } } },
  ],
  ['an unknown extension', { attributes: 'urn:acme:1.0:User:badge' }, { 'urn:acme:1.0:User': { badge: 7 } }],
  ['unknown attributes', { attributes: 'shoesize.left' }, { shoeSize: { left: 43 } }],
  ['meta.version', { attributes: 'meta.version' }, { meta: { version: 'W/"1"' } }],
  ['empty', { attributes: '' }, all],
  ['both', { attributes: 'userName', excludedAttributes: 'userName' }, { userName: 'ada' }],
])('%s', (_, asked, expected) => {
  expect(project(readSelection(userType, asked), ada)).toEqual({ ...always, ...expected })
})

test.each<[string, string[]]>([
  ['id,schemas', []],
  ['userName', ['userName']],
  ['NAME,emails', ['name', 'emails']],
  [`${ENTERPRISE_USER_SCHEMA},shoeSize`, [ENTERPRISE_USER_SCHEMA, 'shoeSize']],
  ['urn:acme:1.0:User:badge', ['urn:acme:1.0:User']],
])('without %s', (excludedAttributes, gone) => {
  const left = Object.fromEntries(Object.entries({ ...always, ...all }).filter(([name]) => !gone.includes(name)))
  expect(project(readSelection(userType, { excludedAttributes }), ada)).toEqual(left)
})

test('without a part', () => {
  const selection = readSelection(userType, { excludedAttributes: 'name.familyName,emails.type' })
  expect(project(selection, ada)).toMatchObject({
    name: { givenName: 'Ada' },
    emails: [{ value: 'a@b' }, { value: 'c@d' }],
  })
  expect(project(selection, ada)['name']).not.toHaveProperty('familyName')
})

test.each<[object, boolean]>([
  [{}, true],
  [{ excludedAttributes: 'Members' }, false],
  [{ excludedAttributes: 'members.display' }, true],
  [{ attributes: 'displayName' }, false],
  [{ attributes: 'members' }, true],
  [{ attributes: 'members.value' }, true],
])('whether members are to be read for %j: %s', (asked, expected) => {
  expect(isSelected(readSelection(groupType, asked), 'members')).toBe(expected)
})

test('what is answered is not looked for among all that is asked', () => {
  const selection = readSelection(userType, { attributes: 'shoeSize.left,emails,a.b' })
  const unread = () => {
    throw new Error('Each of them was looked at.')
  }
  Object.assign(selection.attributes ?? {}, { [Symbol.iterator]: unread, forEach: unread })
  expect(project(selection, ada)).toEqual({ ...always, emails: ada.emails, shoeSize: { left: 43 } })
})

test('names that are too long select nothing', () => {
  const selection = readSelection(userType, { attributes: ['.'.repeat(100_000), 'userName'] })
  expect(project(selection, ada)).toEqual({ ...always, userName: 'ada' })
  expect(selection.attributes?.size).toBe(1)
})
