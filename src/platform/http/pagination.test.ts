import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { newId } from '../ids.ts'
import { byAge, finishPage, type ListQuery, readPage, takePage } from './pagination.ts'
import { toProblem } from './problem.ts'

const { app } = await startApp()
const { platform } = app
const path = '/v1/accounts'

// For rows with the same time, only the id decides their order and a cursor's position.
const moments = [0, 1, 1, 1, 2, 3, 3].map((ms) => new Date(1_800_000_000_000 + ms))
const rows = moments.map((created_at) => ({ id: newId(), name: 'Page', created_at }))
await platform.db.insertInto('accounts').values(rows.toReversed()).execute()

async function readAccounts(query: ListQuery) {
  const page = readPage(platform, path, query)
  const headers: Record<string, string> = {}
  const rows = await takePage(platform.db.selectFrom('accounts').select(['id', 'created_at']), page).execute()
  const { rows: shown, reply } = finishPage({ platform, headers }, page, { rows }, byAge)
  return { ids: shown.map((row) => row.id), reply, link: headers.link }
}

test.each(['asc', 'desc'] as const)('pages of every size visit each row once, %s', async (order) => {
  const ids = rows.map((row) => row.id)
  const expected = order === 'asc' ? ids : ids.toReversed()
  for (let limit = 1; limit <= rows.length + 1; limit++) {
    const seen: string[] = []
    let cursor: string | null = null
    let pages = 0
    do {
      const page = await readAccounts({ limit, order, ...(cursor ? { cursor } : {}) })
      seen.push(...page.ids)
      cursor = page.reply.next_cursor
      expect(page.reply.has_more).toBe(cursor !== null)
      pages += 1
    } while (cursor)
    expect([seen, pages]).toEqual([expected, Math.ceil(rows.length / limit)])
  }
})

test('the next page is linked below the configured address, with the whole query', async () => {
  const query = { limit: 2, order: 'desc' as const, include_total: true, email: 'a+b@example.com' }
  const { reply, link } = await readAccounts(query)
  expect(link).toBe(
    `<http://localhost:4000/api/v1/accounts?limit=2&order=desc&include_total=true&email=a%2Bb%40example.com&cursor=${reply.next_cursor}>; rel="next"`,
  )
  expect((await readAccounts({ limit: 7 })).link).toBeUndefined()
})

test('a cursor of another list, order or maker is refused', async () => {
  const cursor = (await readAccounts({ limit: 1 })).reply.next_cursor ?? ''
  expect(readPage(platform, path, { cursor }).after).toEqual(rows[0] && { at: rows[0].created_at, id: rows[0].id })
  const flipped = Buffer.from(cursor, 'base64url')
  flipped[7] = (flipped[7] ?? 0) ^ 1
  const forged = [
    flipped.toString('base64url'),
    randomBytes(40).toString('base64url'),
    `${cursor}A`,
    `${cursor}=`,
    cursor.slice(0, -1),
    // A different text that decodes to the same bytes.
    `${cursor.slice(0, -1)}${BASE64URL[(BASE64URL.indexOf(cursor.slice(-1)) ^ 1) % 64]}`,
    '',
    'null',
  ]
  for (const bad of forged) expect(problemOf({ cursor: bad }), bad).toMatchObject(refused)
  expect(problemOf({ cursor, order: 'desc' })).toMatchObject(refused)
  expect(problemOf({ cursor }, '/v1/users')).toMatchObject(refused)
})

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const refused = { status: 400, body: { code: 'invalid_request', errors: [{ field: 'cursor', code: 'cursor' }] } }

function problemOf(query: ListQuery, at = path) {
  try {
    readPage(platform, at, query)
  } catch (error) {
    return toProblem(error, 'http://localhost:4000', 'req_test')
  }
  return null
}
