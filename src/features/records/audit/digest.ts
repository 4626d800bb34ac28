import type { KeyObject } from 'node:crypto'
import { hashPurpose } from '../../../platform/crypto/keyring.ts'
import { keyedHash } from '../../../platform/crypto/tokens.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import type { Platform } from '../../../platform/platform.ts'

const auditChain = hashPurpose('audit-chain')

/** Every column of an event, as texts. */
export type EventText = Record<(typeof PARTS)[PartName][number], string | null> & { id: string; directory_id: string }

type PartName = keyof typeof PARTS

/** What an event says, in parts of which verification tells which one differs. */
export const PARTS = {
  place: ['directory_id', 'account_id', 'environment_id', 'id', 'epoch', 'tx_id'],
  time: ['created_at'],
  act: ['type', 'target_type', 'target_id'],
  origin: ['actor_type', 'actor_id', 'request_id', 'ip_address', 'user_agent', 'on_behalf_of', 'via'],
  data: ['data'],
  previous: ['previous'],
} as const

const NAMES = ['place', 'time', 'act', 'origin', 'data', 'previous'] as const satisfies PartName[]

// Of 256 bits: to find another value with the same 128 takes the key, or 2^128 attempts at the service.
const PART_BYTES = 16

/** Bytes of the digests of one event. */
const EVENT_BYTES = NAMES.length * PART_BYTES

/**
 * The key of the chain, which derives from the master key: who has the database alone can forge no block. It stays the same when
 * the master key is rotated.
 */
export function chainKey({ keyring }: Pick<Platform, 'keyring'>): KeyObject {
  return keyring.hashKey(auditChain)
}

/** The digests of an event, a part after the other. */
export function digestEvent(key: KeyObject, event: EventText): Buffer {
  const parts = NAMES.map((name) => {
    const values = JSON.stringify(valuesOf(event, name))
    // With its id: digests of one event do not fit another.
    return keyedHash(key, 'event', event.id, name, values).subarray(0, PART_BYTES)
  })
  return Buffer.concat(parts)
}

// Older events were chained without these columns.
const ADDED: readonly string[] = ['on_behalf_of', 'via']

/** What a part digests. The added columns are there once one of them has a value, so that older events verify. */
function valuesOf(event: EventText, name: PartName): (string | null)[] {
  const columns: readonly (typeof PARTS)[PartName][number][] = PARTS[name]
  const hasAdded = columns.some((column) => ADDED.includes(column) && event[column] !== null)
  return columns.filter((column) => hasAdded || !ADDED.includes(column)).map((column) => event[column])
}

/** The digests of the event with this number in a block. */
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

/** A link of the chain: consecutive events of a directory, of one day (UTC). */
export interface Block {
  directoryId: string
  environmentId: string
  seq: number
  end: Position
  /** As PostgreSQL's `timestamptz` in microseconds since 1970. */
  firstAt: string
  lastAt: string
  eventIds: string[]
  digests: Buffer
}

/** The hash before the first block. */
export const NO_HASH = Buffer.alloc(32)

/** The hash of a block, which goes into that of the next. */
export function hashBlock(key: KeyObject, previous: Buffer, block: Block): Buffer {
  const { directoryId, environmentId, seq, end, firstAt, lastAt, eventIds, digests } = block
  const place = JSON.stringify([directoryId, environmentId, seq, end.epoch, end.txId, end.id, firstAt, lastAt])
  return keyedHash(key, 'block', previous.toString('hex'), place, eventIds.join(), digests.toString('hex'))
}

/** Says that what was up to this block went with its retention. */
export function sealAnchor(key: KeyObject, directoryId: string, seq: number, hash: Buffer): Buffer {
  return keyedHash(key, 'anchor', directoryId, String(seq), hash.toString('hex'))
}
