import { expect, test } from 'vitest'
import { createDocumentCache } from './document-cache.ts'

const clock = { now: () => new Date(0), startTimer: () => () => undefined }

function memory(maxBytes: number) {
  const remembered = createDocumentCache<string>(clock, { freshMs: 1000, maxBytes })
  let reads = 0
  /** Whether the document was read again. */
  const read = async (owner: string, url: string, text = 'a document') => {
    const before = reads
    await remembered.get({ owner, url }, async () => {
      reads++
      return text
    })
    return reads > before
  }
  return { read }
}

test('what hostile providers publish pushes out nothing that others have', async () => {
  const { read } = memory(64 * 1024)
  for (let n = 0; n < 20; n++) expect(await read(`honest-${n}`, 'https://idp.example')).toBe(true)
  for (let n = 0; n < 500; n++) await read('hostile', `https://evil.example/${n}`, 'x'.repeat(5000))
  for (let n = 0; n < 20; n++) expect(await read(`honest-${n}`, 'https://idp.example')).toBe(false)
  expect(await read('hostile', 'https://evil.example/499')).toBe(false)
  expect(await read('hostile', 'https://evil.example/0')).toBe(true)
})

test('nobody gets what somebody else has read', async () => {
  const { read } = memory(64 * 1024)
  expect([await read('a', 'https://idp.example'), await read('b', 'https://idp.example')]).toEqual([true, true])
})

test('a document that is larger than all may be is used and not kept', async () => {
  const { read } = memory(10_000)
  expect(await read('a', 'https://idp.example')).toBe(true)
  for (let n = 0; n < 2; n++) expect(await read('b', 'https://idp.example', 'x'.repeat(20_000))).toBe(true)
  expect(await read('a', 'https://idp.example')).toBe(false)
})

test('once the clock was set back, a document is read again', async () => {
  let nowMs = 10_000_000
  const remembered = createDocumentCache<string>(
    { ...clock, now: () => new Date(nowMs) },
    { freshMs: 1000, maxBytes: 64 * 1024 },
  )
  let reads = 0
  const read = (suits?: () => boolean) =>
    remembered.get({ owner: 'a', url: 'https://idp.example' }, async () => `version ${++reads}`, suits)
  expect(await read()).toBe('version 1')
  nowMs -= 5_000_000
  expect([await read(), await read()]).toEqual(['version 2', 'version 2'])
  expect([await read(() => false), await read(() => false)]).toEqual(['version 3', 'version 3'])
  nowMs -= 1_000_000
  expect(await read(() => false)).toBe('version 4')
})

test('once the clock was set back, a failed read does not stop the next one', async () => {
  let nowMs = 10_000_000
  const remembered = createDocumentCache<string>(
    { ...clock, now: () => new Date(nowMs) },
    { freshMs: 1000, maxBytes: 64 * 1024 },
  )
  let isDown = false
  let reads = 0
  const read = () =>
    remembered.get({ owner: 'a', url: 'https://idp.example' }, async () => {
      reads++
      if (isDown) throw new Error('down')
      return 'a document'
    })
  await read()
  nowMs += 2000
  isDown = true
  expect([await read(), await read(), reads]).toEqual(['a document', 'a document', 2])
  nowMs -= 1000
  isDown = false
  expect([await read(), reads]).toEqual(['a document', 3])
})
