import { describe, expect, test } from 'vitest'
import { userType } from '../language/core-schemas.ts'
import type { ScimObject } from '../language/json.ts'
import { applyPatch, readPatch } from './patch.ts'

const ada: ScimObject = { userName: 'ada@acme.example', emails: [{ value: 'ada@acme.example', type: 'work' }] }
const run = (Operations: object[], of = ada) => applyPatch(userType, of, readPatch({ Operations }))
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const namesOf = (count: number) => Object.fromEntries(times(count, (n) => [`a${n}`, 1]))
const alternatives = (count: number, one: string) => times(count, () => one).join(' or ')

const addresses = (count: number) => times(count, (n) => ({ value: `${n}@acme.example` }))
const select = (filter: string) => `emails[${filter} or value pr].display`
const add = (path: string, value: unknown) => ({ op: 'add', path, value })

describe('a PATCH that would cost more than its length is refused', () => {
  test.each<[string, object[], ScimObject?]>([
    ['names that no schema knows', [{ op: 'add', value: namesOf(1_000) }]],
    ['operations on many names', [{ op: 'add', value: namesOf(200) }, ...times(900, () => add('title', 'x'))]],
    [
      'names of an extension that are written again',
      [add('urn:x:y', namesOf(2_000)), ...times(100, () => add('urn:x:y', { b: 1 }))],
    ],
    ['a name of an extension among many', [add('urn:x:y', namesOf(2_000)), ...times(100, () => add('urn:x:y:b', 1))]],
    ['parts that are written again', [add('foo', namesOf(2_000)), ...times(100, () => add('foo.b', 1))]],
    [
      'parts of an element that are written again',
      [add('foo', [namesOf(2_000)]), ...times(100, () => add('foo.b', 1))],
    ],
    ['an element that is added to', [add('foo', [namesOf(2_000)]), ...times(100, () => add('foo[a1 eq 1]', { b: 1 }))]],
    [
      'what is there at all, asked often',
      times(5, () => add(select(alternatives(250, 'a pr')), 'x')),
      { ...ada, emails: addresses(100) },
    ],
    [
      'what is there of many parts',
      [
        add('foo', [{ b: Object.fromEntries(times(1_000, (n) => [`a${n}`, ''])), c: 1 }]),
        add(`foo[${alternatives(200, 'b pr')} or c pr].d`, 'x'),
      ],
    ],
    [
      'long texts that are compared',
      [
        add('emails', [{ value: 'Щ'.repeat(100_000) }]),
        ...times(2, () => add(select(alternatives(100, 'value co "q"')), 'x')),
      ],
    ],
    [
      'a large value in the place of many',
      [{ op: 'replace', path: 'emails[value pr]', value: { value: 'x', ...namesOf(1_500) } }],
      { ...ada, emails: addresses(100) },
    ],
    [
      'a large value that is compared with many',
      [add('foo', addresses(900)), { op: 'remove', path: 'foo', value: [namesOf(2_000)] }],
    ],
    ['a large value that is added to many', [add('foo', addresses(200)), add('foo', [namesOf(8_000)])]],
  ])('%s', (_, operations, of) => {
    expect(() => run(operations, of)).toThrow(expect.objectContaining({ scimType: 'tooMany' }))
  })

  test('one that a client sends is not', () => {
    const profile = Object.fromEntries(times(60, (n) => [`attribute${n}`, `value ${n}`]))
    expect(run([{ op: 'add', value: profile }])).toMatchObject(profile)
    const many = { ...ada, emails: addresses(200) }
    expect(
      run(
        times(1_000, (n) => add('title', `${n}`)),
        many,
      ),
    ).toMatchObject({ title: '999' })
    expect(run([add('emails', addresses(250).slice(50))], many)['emails']).toHaveLength(250)
  })
})
