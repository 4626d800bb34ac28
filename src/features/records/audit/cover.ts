import type { KeyObject } from 'node:crypto'
import { keyedHash, sameHash } from '../../../platform/crypto/tokens.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import { fits } from '../../../platform/validator.ts'
import type { EventText } from './digest.ts'
import { auditEvents } from './events.ts'

/** Which events of a directory were erased: all up to a position, or only those with the ids. */
export interface Cover {
  subOrgId: string
  through: Position | null
  eventIds: string[] | null
}

/** The data of the event `audit.erased`. Only a process with the master key can seal it. */
export function sealedCover(key: KeyObject, directoryId: string, cover: Cover) {
  return { ...cover, seal: sealOf(key, directoryId, cover).toString('hex') }
}

// Includes the directory, so that an event copied to another directory is not valid there.
function sealOf(key: KeyObject, directoryId: string, { subOrgId, through, eventIds }: Cover): Buffer {
  const place = through && [through.epoch, through.txId, through.id]
  return keyedHash(key, 'erasure', directoryId, JSON.stringify([subOrgId, place, eventIds]))
}

/** The erased events that an event names. Null if the service did not seal it for this directory. */
export function readCover(key: KeyObject, directoryId: string, { data }: Pick<EventText, 'data'>): Cover | null {
  const said: unknown = JSON.parse(data ?? 'null')
  if (!fits(auditEvents.erased.data, said)) return null
  const { seal, ...cover } = said
  return sameHash(sealOf(key, directoryId, cover), Buffer.from(seal, 'hex')) ? cover : null
}

/** Whether position `a` is after position `b`. */
export function isBehind(a: Position, b: Position): boolean {
  if (a.epoch !== b.epoch) return a.epoch > b.epoch
  const [left, right] = [BigInt(a.txId), BigInt(b.txId)]
  return left === right ? a.id > b.id : left > right
}

// Fixed values, so that the rest of an erased event cannot hide data that the digests do not verify.
const BLANK: Partial<EventText> = {
  ...{ data: '{}', previous: null, actor_type: 'erased', actor_id: null, via: null, on_behalf_of: null },
  ...{ request_id: null, ip_address: null, user_agent: null },
}

/** Whether an event has been erased completely, and contains nothing else. */
export function isBlank(event: EventText): boolean {
  return Object.entries(BLANK).every(([column, value]) => Reflect.get(event, column) === value)
}

export const positionOf = (event: EventText): Position => ({
  epoch: Number(event.epoch),
  txId: event.tx_id ?? '0',
  id: event.id,
})
