import type { KeyObject } from 'node:crypto'
import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import type { Platform } from '../../../platform/platform.ts'

const auditChain = hashPurpose('audit-chain')

/** All columns of an event, as text. */
export type EventText = Record<(typeof PARTS)[PartName][number], string | null> & { id: string; directory_id: string }

type PartName = keyof typeof PARTS

/** The columns of an event, in parts. Verification reports which parts differ. */
export const PARTS = {
  place: ['directory_id', 'account_id', 'environment_id', 'id', 'epoch', 'tx_id'],
  time: ['created_at'],
  act: ['type', 'target_type', 'target_id'],
  origin: ['actor_type', 'actor_id', 'request_id', 'ip_address', 'user_agent', 'on_behalf_of', 'via'],
  data: ['data'],
  previous: ['previous'],
} as const

const NAMES = ['place', 'time', 'act', 'origin', 'data', 'previous'] as const satisfies PartName[]

// Half of a 256-bit hash is enough: finding another value with the same 128 bits takes the key, or 2^128 attempts at
// the service.
const PART_BYTES = 16

/** The size of the digests of one event. */
const EVENT_BYTES = NAMES.length * PART_BYTES

/**
 * The key of the hash chains. It derives from the master key, so no one can forge a block with access to the database
 * alone. It stays the same when the master key is rotated.
 */
export function chainKey({ keyring }: Pick<Platform, 'keyring'>): KeyObject {
  return keyring.hashKey(auditChain)
}

/** The digests of an event, concatenated in the order of its parts. */
export function digestEvent(key: KeyObject, event: EventText): Buffer {
  const parts = NAMES.map((name) => {
    const values = JSON.stringify(valuesOf(event, name))
    // Includes the event's id, so that digests of one event do not match another event.
    return keyedHash(key, 'event', event.id, name, values).subarray(0, PART_BYTES)
  })
  return Buffer.concat(parts)
}

// Columns that did not exist when older events were chained.
const ADDED: readonly string[] = ['on_behalf_of', 'via']

/**
 * The values that the digest of a part covers. Added columns are included only if one of them has a value, so that
 * older events still verify.
 */
function valuesOf(event: EventText, name: PartName): (string | null)[] {
  const columns: readonly (typeof PARTS)[PartName][number][] = PARTS[name]
  const hasAdded = columns.some((column) => ADDED.includes(column) && event[column] !== null)
  return columns.filter((column) => hasAdded || !ADDED.includes(column)).map((column) => event[column])
}

/** The digests of the event at this index in a block. */
export function digestAt(digests: Buffer, index: number): Buffer {
  return digests.subarray(index * EVENT_BYTES, (index + 1) * EVENT_BYTES)
}

/** The parts in which digests differ. */
export function differingParts(a: Buffer, b: Buffer): string[] {
  return NAMES.filter((_, i) => {
    const [start, end] = [i * PART_BYTES, (i + 1) * PART_BYTES]
    return !a.subarray(start, end).equals(b.subarray(start, end))
  })
}

/** One link of the chain: consecutive events of a directory, all from one day (UTC). */
export interface Block {
  directoryId: string
  environmentId: string
  seq: number
  end: Position
  /** PostgreSQL's `timestamptz` in microseconds since 1970. */
  firstAt: string
  lastAt: string
  eventIds: string[]
  digests: Buffer
}

/** The previous hash of the first block. */
export const NO_HASH = Buffer.alloc(32)

/** The hash of a block, which the next block includes. */
export function hashBlock(key: KeyObject, previous: Buffer, block: Block): Buffer {
  const { directoryId, environmentId, seq, end, firstAt, lastAt, eventIds, digests } = block
  const place = JSON.stringify([directoryId, environmentId, seq, end.epoch, end.txId, end.id, firstAt, lastAt])
  return keyedHash(key, 'block', previous.toString('hex'), place, eventIds.join(), digests.toString('hex'))
}

/** A seal which proves that the blocks up to this one were removed because their retention had ended. */
export function sealAnchor(key: KeyObject, directoryId: string, seq: number, hash: Buffer): Buffer {
  return keyedHash(key, 'anchor', directoryId, String(seq), hash.toString('hex'))
}
