import { expect, test } from 'vitest'
import { isId, newId, newRequestId } from './ids.ts'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

test('an id is a UUIDv7 that carries its time, and sorts behind those before it', () => {
  const ids = Array.from({ length: 10_000 }, () => newId())
  expect(ids.filter((id) => !isId(id) || !/^.{14}7.{4}[89ab]/.test(id))).toEqual([])
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  const before = Date.now()
  const time = Number.parseInt(newId().replace('-', '').slice(0, 12), 16)
  // The counter may have moved the time to a later millisecond.
  expect(time).toBeGreaterThanOrEqual(before)
  expect(time).toBeLessThan(before + 1000)
  // Apart from the time and the six bits of version and variant, all digits differ between ids.
  for (const at of [20, 21, 22, 24, 30, 35]) expect(new Set(ids.map((id) => id[at])).size, `character ${at}`).toBe(16)
})

test('a request id is a ULID that carries its time, with 80 random bits', () => {
  const nowMs = 1_795_339_800_123
  const ids = Array.from({ length: 1000 }, () => newRequestId(nowMs))
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/)
  const time = [...(ids[0] ?? '').slice(4, 14)].reduce((sum, character) => sum * 32 + CROCKFORD.indexOf(character), 0)
  expect(time).toBe(nowMs)
  // Every character of the random part takes every value.
  for (let at = 14; at < 30; at++) expect(new Set(ids.map((id) => id[at])).size, `character ${at}`).toBe(32)
})
