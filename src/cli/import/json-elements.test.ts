import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonElements } from './json-elements.ts'
import { jsonLines } from './lines.ts'
import type { RawRecord } from './records.ts'

async function* inPieces(text: string, sizes: number[]): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  let at = 0
  for (let n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function read(records: AsyncGenerator<RawRecord>): Promise<RawRecord[]> {
  const found = []
  for await (const record of records) found.push(record)
  return found
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
const values = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 6 })
const indent = fc.constantFrom(0, 2)

test('a list is read whole, wherever the pieces of its document break', async () => {
  await fc.assert(
    fc.asyncProperty(values, fc.jsonValue({ maxDepth: 3 }), sizes, indent, async (users, other, pieces, spaces) => {
      for (const document of [
        users,
        { users },
        { a: other, users, z: other },
        { text: 'users', b: { users: [1] }, users },
      ]) {
        const text = JSON.stringify(document, null, spaces)
        const records = await read(jsonElements(inPieces(text, pieces), ['users']))
        expect(records.map((record) => record.value)).toEqual(JSON.parse(JSON.stringify(users)))
      }
    }),
    { numRuns: 200 },
  )
})

test('documents one after the other are read like one, and each record says its line', async () => {
  const text = '{"Users": [\n{"a": "]},\\"\\n"},\n\n {"b":\n2}]}\n{"Users":[ 3 , bad]}'
  expect(await read(jsonElements(inPieces(text, [3]), ['users', 'Users']))).toEqual([
    { line: 2, value: { a: ']},"\n' } },
    { line: 4, value: { b: 2 } },
    { line: 6, value: 3 },
    { line: 6, value: undefined },
  ])
})

test('what breaks off, has no list or is too large is refused', async () => {
  const refused = (text: string, pieces: number[]) => read(jsonElements(inPieces(text, pieces), ['users']))
  await expect(refused('{"users": [{"a": 1}', [5])).rejects.toThrow('ends in the middle, in line 1')
  await expect(refused('{"other": [1], "b": {"users": [1]}}', [5])).rejects.toThrow('no list of users')
  await expect(refused(`[{"a": "${'x'.repeat(2 ** 21)}"}]`, [65_536])).rejects.toThrow('larger than a mebibyte')
  await expect(read(jsonLines(inPieces('x'.repeat(2 ** 21), [65_536])))).rejects.toThrow('larger than a mebibyte')
})

test('lines are read one by one, wherever the pieces break', async () => {
  await fc.assert(
    fc.asyncProperty(values, sizes, async (rows, pieces) => {
      const text = rows.map((row) => `${JSON.stringify(row)}\r\n\n`).join('')
      const records = await read(jsonLines(inPieces(text, pieces)))
      expect(records.map((record) => record.value)).toEqual(JSON.parse(JSON.stringify(rows)))
      expect(records.map((record) => record.line)).toEqual(rows.map((_, n) => 2 * n + 1))
    }),
    { numRuns: 100 },
  )
})
