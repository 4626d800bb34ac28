import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { ApiError } from '../errors.ts'
import { type Reach, resolveReach } from '../tenancy/directory.ts'
import { openPosition, sealPosition } from './event-cursor.ts'

const service = await startApp()
const { platform } = service.app
const tenant = await service.tenant()

const position = { epoch: 4294967298, txId: '7301234567890123456', id: '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21' }

async function reachOf(whose: typeof tenant, subOrgId: string | null = null): Promise<Reach> {
  return resolveReach(platform, { ...whose, environmentSlug: 'production', organizationId: null }, subOrgId)
}

function refusalOf(reach: Reach, cursor: string): unknown {
  try {
    return openPosition(platform, reach, cursor)
  } catch (error) {
    return error instanceof ApiError ? error.details.errors?.map(({ field }) => field) : error
  }
}

test('gives its position back', async () => {
  const reach = await reachOf(tenant)
  for (const id of [position.id, '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    expect(openPosition(platform, reach, sealPosition(platform, reach, { ...position, id }))).toEqual({
      ...position,
      id,
    })
})

test('shows nothing of the position, nor whether two are the same', async () => {
  const reach = await reachOf(tenant)
  const cursors = Array.from({ length: 50 }, () => sealPosition(platform, reach, position))
  expect(new Set(cursors).size).toBe(50)
  const parts = [BigInt(position.txId), BigInt(position.epoch)].map((part) => part.toString(16).padStart(16, '0'))
  for (const cursor of cursors) {
    expect(cursor).toMatch(/^[A-Za-z0-9_-]{80}$/)
    const hex = Buffer.from(cursor, 'base64url').toString('hex')
    for (const part of [...parts, position.id.replaceAll('-', '')]) expect(hex).not.toContain(part)
  }
  // No byte position has the same value in all cursors.
  const bytes = cursors.map((cursor) => Buffer.from(cursor, 'base64url'))
  for (let at = 0; at < 60; at++)
    expect(new Set(bytes.map((cursor) => cursor[at])).size, `byte ${at}`).toBeGreaterThan(1)
})

test('is refused when a bit of it was changed, or its form', async () => {
  const reach = await reachOf(tenant)
  const cursor = sealPosition(platform, reach, position)
  const bytes = Buffer.from(cursor, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(refusalOf(reach, changed.toString('base64url')), `byte ${at}`).toEqual(['after'])
  }
  for (const malformed of ['', 'x', cursor.slice(1), `${cursor}A`, ` ${cursor.slice(1)}`, `${cursor.slice(1)}=`])
    expect(refusalOf(reach, malformed), malformed).toEqual(['after'])
})

test('is refused with any other reach', async () => {
  const subOrgId = await tenant.organization()
  const reaches = [await reachOf(tenant), await reachOf(tenant, subOrgId), await reachOf(await service.tenant())]
  for (const own of reaches)
    for (const other of reaches) {
      const found = refusalOf(other, sealPosition(platform, own, position))
      expect(found).toEqual(own === other ? position : ['after'])
    }
})
