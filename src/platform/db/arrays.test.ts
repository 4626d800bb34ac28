import fc from 'fast-check'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { byteaArray, uuidArray } from './arrays.ts'

test('array literals say to PostgreSQL what was passed', async () => {
  const client = new pg.Client({ connectionString: inject('serverUrl') })
  await client.connect()
  const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
  const read = async (literal: string, type: string) => {
    const { rows } = await client.query<{ value: unknown }>(`select unnest($1::${type}[]) as value`, [literal])
    return rows.map((row) => row.value)
  }
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.uuid())), fc.array(fc.option(bytes)), async (ids, buffers) => {
        expect(await read(uuidArray(ids), 'uuid')).toEqual(ids)
        expect(await read(byteaArray(buffers), 'bytea')).toEqual(buffers)
      }),
      { numRuns: 50 },
    )
  } finally {
    await client.end()
  }
})
