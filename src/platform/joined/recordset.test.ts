import fc from 'fast-check'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { recordset, recordsetValues } from './recordset.ts'
import { sqlText } from './sql-text.ts'

const columns = {
  id: 'uuid',
  name: 'text',
  count: 'int',
  is_on: 'boolean',
  hash: 'bytea',
  data: 'jsonb',
  list: 'text[]',
} as const

// PostgreSQL's text cannot contain NUL or lone surrogates.
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '\\'))
const row = fc.record({
  id: fc.option(fc.uuid()),
  name: fc.option(fc.oneof(text, fc.constantFrom('', 'NULL', '"', '\\', '{}', '{"a",b}', '}', ',', ' ', '\\x00'))),
  count: fc.option(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  is_on: fc.option(fc.boolean()),
  hash: fc.option(fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))),
  data: fc.option(fc.oneof(fc.dictionary(text, text, { noNullPrototype: true }), fc.array(text))),
  list: fc.option(fc.array(text)),
})

test('rows of values are to PostgreSQL what was passed', async () => {
  const client = new pg.Client({ connectionString: inject('serverUrl') })
  await client.connect()
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(row), async (rows) => {
        const query = `select * from ${recordset(1, sqlText`given`, columns)}`
        const { rows: found } = await client.query(query, recordsetValues(rows, columns))
        expect(found).toEqual(rows)
      }),
      { numRuns: 200 },
    )
  } finally {
    await client.end()
  }
})
