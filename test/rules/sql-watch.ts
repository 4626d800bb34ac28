import { afterAll, expect } from 'vitest'
import { watchFile } from './sql-recorder.ts'

// For each test file, and before it starts an application.
const end = watchFile()

afterAll(() => {
  expect(end(), 'statements that a distributed PostgreSQL does not take (test/rules/sql-rules.ts)').toEqual([])
})
