import { expect, test } from 'vitest'
import { mutants } from './mutants.ts'
import { complaintOf } from './scratch.ts'

test('every defence of the list is where it says, and so are the tests that should notice', () => {
  expect(mutants.map(complaintOf).filter((complaint) => complaint !== null)).toEqual([])
})

test('no two defences have one name', () => {
  const names = mutants.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})
