import { expect, test } from 'vitest'
import { groupType } from '../language/core-schemas.ts'
import { normaliseResource } from '../language/normalise.ts'
import { readPatch, splitMemberOperations, takeMembers } from './patch.ts'

const split = (...Operations: object[]) => {
  const { members, rest } = splitMemberOperations(readPatch({ Operations }))
  return {
    members: members && {
      replaced: members.replaced,
      removed: [...members.removed],
      added: [...members.added.values()].map((member) => member.value),
    },
    rest,
  }
}
const GROUP = groupType.schema.id

test.each<[string, object[], ReturnType<typeof split>['members']]>([
  [
    'add',
    [{ op: 'Add', path: 'members', value: [{ value: 'A', $ref: null }, { value: 'b' }] }],
    { replaced: false, removed: [], added: ['A', 'b'] },
  ],
  [
    'add of one',
    [{ op: 'add', path: 'Members', value: { value: 'a' } }],
    { replaced: false, removed: [], added: ['a'] },
  ],
  [
    'add by the URN',
    [{ op: 'add', path: `${GROUP}:members`, value: [{ value: 'a' }] }],
    { replaced: false, removed: [], added: ['a'] },
  ],
  [
    'add without path',
    [{ op: 'add', value: { members: [{ value: 'a' }] } }],
    { replaced: false, removed: [], added: ['a'] },
  ],
  [
    'add twice',
    [{ op: 'add', path: 'members', value: [{ value: 'A' }, { value: 'a' }] }],
    { replaced: false, removed: [], added: ['a'] },
  ],
  [
    'add of who is selected',
    [{ op: 'add', path: 'members[value eq "a"]', value: [{ value: 'a' }] }],
    { replaced: false, removed: [], added: ['a'] },
  ],
  [
    'replace',
    [{ op: 'replace', path: 'members', value: [{ value: 'a' }] }],
    { replaced: true, removed: [], added: ['a'] },
  ],
  ['replace by nobody', [{ op: 'replace', path: 'members', value: [] }], { replaced: true, removed: [], added: [] }],
  [
    'replace without path',
    [{ op: 'replace', value: { members: [{ value: 'a' }] } }],
    { replaced: true, removed: [], added: ['a'] },
  ],
  [
    'replace of who is selected',
    [{ op: 'replace', path: 'members[value eq "a"]', value: { value: 'b' } }],
    { replaced: false, removed: ['a'], added: ['b'] },
  ],
  ['remove of all', [{ op: 'remove', path: 'members' }], { replaced: true, removed: [], added: [] }],
  [
    'remove of those named',
    [{ op: 'Remove', path: 'members', value: [{ value: 'A' }] }],
    { replaced: false, removed: ['a'], added: [] },
  ],
  [
    'remove of one named',
    [{ op: 'remove', path: 'members', value: { value: 'a' } }],
    { replaced: false, removed: ['a'], added: [] },
  ],
  [
    'remove of nobody named',
    [{ op: 'remove', path: 'members', value: [] }],
    { replaced: false, removed: [], added: [] },
  ],
  [
    'remove of who is selected',
    [{ op: 'remove', path: 'members[value eq "A"]' }],
    { replaced: false, removed: ['a'], added: [] },
  ],
  [
    'remove of several',
    [{ op: 'remove', path: 'members[value eq "a" or value eq "b"]' }],
    { replaced: false, removed: ['a', 'b'], added: [] },
  ],
  [
    'add, then remove',
    [
      { op: 'add', path: 'members', value: [{ value: 'a' }] },
      { op: 'remove', path: 'members[value eq "a"]' },
    ],
    { replaced: false, removed: ['a'], added: [] },
  ],
  [
    'remove, then add',
    [
      { op: 'remove', path: 'members[value eq "a"]' },
      { op: 'add', path: 'members', value: [{ value: 'a' }] },
    ],
    { replaced: false, removed: ['a'], added: ['a'] },
  ],
  [
    'replace, then add and remove',
    [
      { op: 'replace', path: 'members', value: [{ value: 'a' }, { value: 'b' }] },
      { op: 'remove', path: 'members[value eq "a"]' },
      { op: 'add', path: 'members', value: [{ value: 'c' }] },
    ],
    { replaced: true, removed: [], added: ['b', 'c'] },
  ],
])('%s', (_, operations, members) => {
  expect(split(...operations)).toEqual({ members, rest: [] })
})

test('what is not about members stays as it was', () => {
  const others = [
    { op: 'replace', path: 'displayName', value: 'Eng' },
    { op: 'replace', value: { id: '1', members: [{ value: 'a' }], externalId: 'x' } },
    { op: 'remove', value: { members: [] } },
    { op: 'add', value: 'x' },
  ]
  expect(split(...others)).toEqual({
    members: { replaced: true, removed: [], added: ['a'] },
    rest: [
      { op: 'replace', path: 'displayName', value: 'Eng' },
      { op: 'replace', path: null, value: { id: '1', externalId: 'x' } },
      { op: 'remove', path: null, value: { members: [] } },
      { op: 'add', path: null, value: 'x' },
    ],
  })
  expect(split({ op: 'replace', path: 'displayName', value: 'Eng' }).members).toBeNull()
})

test.each<[object, string]>([
  [{ op: 'add', path: 'members' }, 'invalidValue'],
  [{ op: 'add', path: 'members', value: 'a' }, 'invalidValue'],
  [{ op: 'add', path: 'members', value: [{ display: 'a' }] }, 'invalidValue'],
  [{ op: 'add', path: 'members', value: [{ value: 5 }] }, 'invalidValue'],
  [{ op: 'add', path: 'members', value: [{ value: '' }] }, 'invalidValue'],
  [{ op: 'replace', path: 'members[value eq "a"].value', value: 'b' }, 'mutability'],
  [{ op: 'replace', path: 'members.value', value: 'b' }, 'mutability'],
  [{ op: 'remove', path: 'members[display eq "a"]' }, 'invalidFilter'],
  [{ op: 'remove', path: 'members[value ne "a"]' }, 'invalidFilter'],
  [{ op: 'remove', path: 'members[value is "a"]' }, 'invalidFilter'],
  [{ op: 'remove', path: 'members[value eq "a"' }, 'invalidFilter'],
  [{ op: 'remove', path: 'members x' }, 'invalidPath'],
])('%j: %s', (operation, scimType) => {
  expect(() => split(operation)).toThrow(expect.objectContaining({ scimType }))
})

test('the members of a whole group', () => {
  const body = { displayName: 'Eng', Members: [{ Value: 'a', type: 'User', display: 'Ada' }, { value: 'b' }] }
  expect(takeMembers(normaliseResource(groupType, body))).toEqual({
    members: [
      { value: 'a', type: 'User' },
      { value: 'b', type: null },
    ],
    rest: { displayName: 'Eng' },
  })
  expect(takeMembers({ displayName: 'Eng' })).toEqual({ members: [], rest: { displayName: 'Eng' } })
})
