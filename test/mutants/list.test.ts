import { expect, test } from 'vitest'
import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'
import { complaintOf, readTree, removeDefense } from './tree.ts'

const tree = readTree()
const row: Mutant = {
  name: 'a link expires',
  in: 'assertLinkUsable',
  find: 'if (link.expired)',
  replace: 'if (!link)',
  tests: ['magic-link.test.ts'],
}

test('each defense is in its declaration, and its tests exist', () => {
  expect(mutants.map((mutant) => complaintOf(tree, mutant)).filter((complaint) => complaint !== null)).toEqual([])
})

test('no two defenses have the same name', () => {
  const names = mutants.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

test('only the declaration changes when a defense is removed', () => {
  const { file, before, after } = removeDefense(tree, row)
  expect(file).toBe('src/features/sign-in/links/presented/presented.ts')
  expect(after).toBe(before.replace(row.find, row.replace))
})

test.each<{ wrong: Partial<Mutant>; complaint: RegExp }>([
  { wrong: { in: 'checkNothing' }, complaint: /checkNothing does not exist/ },
  { wrong: { in: 'codeProof' }, complaint: /codeProof is ambiguous\. Write more of its path: src\/.+\/codeProof, src/ },
  {
    wrong: { find: 'no such text' },
    complaint: /presented\/assertLinkUsable contains this text 0 times, not once: no such text/,
  },
  { wrong: { find: 'link' }, complaint: /presented\/assertLinkUsable contains this text \d+ times, not once: link/ },
  { wrong: { only: 'no such name' }, complaint: /no test of magic-link\.test\.ts is named: no such name/ },
  { wrong: { tests: ['none.test.ts'] }, complaint: /none\.test\.ts does not exist/ },
  { wrong: { tests: ['attacks.test.ts'] }, complaint: /attacks\.test\.ts is ambiguous/ },
])('a wrong row is reported: $complaint', ({ wrong, complaint }) => {
  expect(complaintOf(tree, { ...row, ...wrong })).toMatch(complaint)
})
