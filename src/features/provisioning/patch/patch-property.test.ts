import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ModelPerson, steps, tellPerson } from '../../../../test/people/scim-patch.ts'
import { userType } from '../language/core-schemas.ts'
import { ScimLanguageError } from '../language/error.ts'
import { applyPatch, readPatch } from './patch.ts'

const RUNS = Number(process.env['SCIM_PATCHES'] ?? 5_000)

test('a PATCH does what its operations do to a model, one after another, or nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(steps, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      (patches) => {
        let person: ModelPerson = { name: {}, emails: [] }
        let resource = { userName: 'ada' }
        for (const patch of patches) {
          const next = structuredClone(person)
          const refused = patch.map((step) => step.apply(next)).find((reason) => reason !== null)
          // Parsed from text like a real request, so that no objects are shared.
          const body: unknown = JSON.parse(JSON.stringify({ Operations: patch.map((step) => step.operation) }))
          const run = () => applyPatch(userType, resource, readPatch(body))
          if (refused) expect(run).toThrow(expect.objectContaining({ scimType: refused }))
          else [person, resource] = [next, { userName: 'ada', ...run() }]
          expect(resource).toEqual({ userName: 'ada', ...tellPerson(person) })
        }
      },
    ),
    { numRuns: RUNS },
  )
})

test('whatever a PATCH says, it is taken or refused in words, and nothing is polluted', () => {
  const names = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'userName',
    'emails',
    'value',
    'x',
    'urn:a:b:c',
    userType.schema.id,
    'op',
    'path',
    'primary',
    '$ref',
  )
  const { anything } = fc.letrec((tie) => ({
    anything: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, -1.5, '', 'a', 'True', '\0', '\ud800'),
      fc.array(tie('anything'), { maxLength: 3 }),
      fc.dictionary(names, tie('anything'), { maxKeys: 3 }),
    ),
  }))
  const paths = fc.oneof(
    names,
    fc
      .array(
        fc.constantFrom(
          'emails',
          '[',
          ']',
          '.',
          'type eq "work"',
          'value',
          ':',
          'urn:',
          'userName',
          ' ',
          '__proto__',
          'name',
        ),
        { maxLength: 6 },
      )
      .map((parts) => parts.join('')),
  )
  const operations = fc.record(
    { op: fc.constantFrom('add', 'replace', 'remove'), path: paths, value: anything },
    { requiredKeys: ['op'] },
  )
  fc.assert(
    fc.property(fc.array(operations, { minLength: 1, maxLength: 4 }), (Operations) => {
      const resource = { userName: 'ada', emails: [{ value: 'a', type: 'work' }], id: '7' }
      try {
        const patched = applyPatch(userType, resource, readPatch(JSON.parse(JSON.stringify({ Operations }))))
        expect(patched['userName']).toEqual(expect.any(String))
        expect(patched['id']).toBe('7')
      } catch (error) {
        expect(error).toBeInstanceOf(ScimLanguageError)
      }
      expect(resource).toEqual({ userName: 'ada', emails: [{ value: 'a', type: 'work' }], id: '7' })
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      expect(Object.keys(Object.prototype)).toEqual([])
    }),
    { numRuns: RUNS },
  )
})
