import { createHash } from 'node:crypto'

/** Ids of the people and things that appear throughout the examples. */
const CAST: Record<string, string> = {
  account: '0198b6f1-c4e2-7b60-8d17-95f3a2c06e4b',
  // The key that the requests of the examples are made with.
  actor: '0198b6f1-e0a7-7c44-9b1d-58f2c6a3e970',
  organization: '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce',
  user: '0198b6f2-7c1a-7d3e-9b42-5a1f0c8e6d21',
  auth_account: '0198b6f2-81d0-7b55-8c0e-2f64a9d7b310',
  session: '0198b6f2-9a3c-7e18-b1d4-6c7f20e5a841',
}

/** Fields and schemas that are not called after what they stand for. */
const MEANINGS: Record<string, string> = {
  user_id: 'auth_account',
  sub: 'auth_account',
  directory_user: 'user',
  mfa_policy_subject: 'user',
  sid: 'session',
  org: 'organization',
  sub_org: 'organization',
  target_sub_org: 'organization',
  parent: 'parent_organization',
  device_trust: 'trusted_device',
}

/** The example of an id, the same wherever a field of this name or of a thing of this name occurs. */
export function idOf(field: string, owner: string): string {
  const name = snake(field === 'id' ? owner : field)
  const noun = name.replace(/_id$/, '').replace(/^made_/, '')
  const meaning = MEANINGS[name] ?? MEANINGS[noun] ?? noun
  const known = CAST[meaning]
  if (known !== undefined) return known
  const hex = createHash('sha256').update(meaning).digest('hex')
  return `0198b6f2-${hex.slice(0, 4)}-7${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`
}

/** Whether a field of this name holds an id. */
export function isIdField(field: string): boolean {
  return /^(id|sub|sid)$|_id$/.test(snake(field))
}

/** When the things of the examples were created. */
export const CREATED_AT = '2026-11-22T09:30:00.000Z'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The example of a time, such that things are created before they are used, and used before they end. */
export function timeOf(field: string, { isRecord, isNew }: { isRecord: boolean; isNew: boolean }): string {
  const name = snake(field)
  return new Date(Date.parse(CREATED_AT) + afterCreation()).toISOString()

  function afterCreation(): number {
    if (/grace/.test(name)) return 14 * DAY
    if (/trusted_device_expires/.test(name)) return 30 * DAY
    // Records such as sessions live for weeks, codes and challenges for minutes.
    if (/expires/.test(name)) return isRecord ? 30 * DAY : 10 * MINUTE
    if (isNew) return 0
    if (/^last_/.test(name)) return 35 * MINUTE
    if (/^updated/.test(name)) return 40 * MINUTE
    if (/^revoked/.test(name)) return 50 * MINUTE
    return 0
  }
}

/** `createdAt` and `CreatedAt` → `created_at`. */
export function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
