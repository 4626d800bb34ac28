import type { KeyObject } from 'node:crypto'
import type { Db } from '../../../platform/db/pool.ts'
import { readSnapshot } from '../../../platform/db/tx.ts'
import type { Position } from '../../../platform/events/event-cursor.ts'
import type { Platform } from '../../../platform/platform.ts'
import { type Head, selectHeads } from './chain-store.ts'
import { type Cover, isBehind, isBlank, positionOf, readCover } from './cover.ts'
import {
  type Block,
  chainKey,
  differingParts,
  digestAt,
  digestEvent,
  type EventText,
  hashBlock,
  NO_HASH,
  sealAnchor,
} from './digest.ts'
import {
  type DirectoryRef,
  findBlockHash,
  findBlockOf,
  findCursor,
  listDirectories,
  type Range,
  selectBetween,
  selectBlocks,
  selectCovers,
  selectEvent,
} from './verify-store.ts'

/** A difference between the events and the chain, and where it is. */
export interface Finding {
  /**
   * About an event: `changed`, `removed`, `inserted`, `moved`, `not_erased`, `erasure_forged`. About the chain:
   * `chain_broken`, `blocks_removed`, `anchor_broken`, `tail_removed`, `head_differs`.
   */
  kind: string
  directory: DirectoryRef
  event: { id: string; at: string | null; type: string | null } | null
  /** The number of the block; null if the finding is not about a block. */
  block: number | null
  detail: string
}

/** The head of a chain, as it was stored outside of the database. */
export interface KeptHead {
  directory: string
  block: number
  hash: string
}

/** How many events of a directory were erased with an organization, and the events that record the erasure. */
export interface Erased {
  directory: DirectoryRef
  organizationId: string
  /** Events of the directory whose personal parts were erased. */
  events: number
  /** The events that record this erasure. */
  by: { id: string; at: string | null }[]
}

interface Verifying {
  db: Db
  key: KeyObject
  directory: DirectoryRef
  /** The erasures that the directory records. */
  covers: Covering[]
  report(finding: Omit<Finding, 'directory'>): void
}

/** An event that records an erasure. `count` is how many erased events were found that belong to it. */
interface Covering {
  cover: Cover
  event: EventText
  ids: ReadonlySet<string>
  count: number
}

const START: Position = { epoch: 0, txId: '0', id: '00000000-0000-0000-0000-000000000000' }
const [DIRECTORIES, BLOCKS, MORE_EVENTS] = [200, 20, 1000]

/**
 * Compares the events of the directories in `range` with their chains, and the chains with the heads that were stored
 * elsewhere. Reads each directory in one snapshot, one block of events at a time. Calls `tell` for each finding at
 * once.
 *
 * @returns how much was compared.
 */
export async function verifyChains(
  platform: Platform,
  range: Range,
  keptHeads: KeptHead[],
  tell: (finding: Finding) => void,
): Promise<{ directories: number; events: number; erased: Erased[] }> {
  const kept = Map.groupBy(keptHeads, (head) => head.directory)
  const counted = { directories: 0, events: 0, erased: [] as Erased[] }
  for (let after = START.id; ; ) {
    const directories = await listDirectories(platform.db, range, after, DIRECTORIES)
    for (const directory of directories) {
      counted.directories++
      const { events, erased } = await readSnapshot(platform.db, (db) =>
        verifyDirectory(
          { db, key: chainKey(platform), directory, report: (finding) => tell({ ...finding, directory }) },
          kept.get(directory.id) ?? [],
        ),
      )
      counted.events += events
      counted.erased.push(...erased)
      kept.delete(directory.id)
    }
    const last = directories.at(-1)
    if (!last) break
    after = last.id
  }
  if (Object.keys(range).length === 0)
    for (const [id, heads] of kept) {
      const directory = {
        id,
        kind: 'unknown',
        environment: '',
        environmentId: '',
        organizationId: null,
        organization: null,
      }
      const detail = 'There is no such directory, and its chain is kept elsewhere.'
      for (const { block } of heads) tell({ kind: 'tail_removed', directory, event: null, block, detail })
    }
  return counted
}

async function verifyDirectory(
  given: Omit<Verifying, 'covers'>,
  kept: KeptHead[],
): Promise<{ events: number; erased: Erased[] }> {
  const { db, directory, report } = given
  const work = { ...given, covers: await readCovers(given) }
  const cursor = await findCursor(db, directory.environmentId)
  const head = (await selectHeads(db, [directory.id])).get(directory.id) ?? null
  const anchor = readAnchor(work, head)
  const at = { seq: anchor.seq, hash: anchor.hash, end: START }
  let events = 0
  for (;;) {
    const blocks = await selectBlocks(db, directory.id, at.seq, BLOCKS)
    for (const block of blocks) {
      verifyLink(work, block, at)
      await verifyEvents(work, block, at.end)
      events += block.eventIds.length
      Object.assign(at, { seq: block.seq, hash: block.hash, end: block.end })
    }
    if (blocks.length < BLOCKS) break
  }
  if (at.seq !== (head?.seq ?? 0) || (head && !head.hash.equals(at.hash))) {
    const detail = `The chain ends at block ${at.seq}, and its head says ${head?.seq ?? 'nothing'}.`
    report({ kind: 'tail_removed', event: null, block: at.seq, detail })
  }
  if (cursor) {
    const extra = await selectBetween(db, directory.id, { after: at.end, until: cursor, limit: MORE_EVENTS })
    for (const event of extra) await reportExtra(work, event)
  }
  for (const each of kept) await compareHead(work, each, { anchor, last: at.seq })
  return { events, erased: erasedBy(work) }
}

/**
 * The events of a directory that record erasures. Reports events that claim to do so but that the service did not
 * seal.
 */
async function readCovers({ db, key, directory, report }: Omit<Verifying, 'covers'>): Promise<Covering[]> {
  const found = await selectCovers(db, directory.id)
  return found.flatMap((event) => {
    const cover = readCover(key, directory.id, event)
    if (cover) return [{ cover, event, ids: new Set(cover.eventIds), count: 0 }]
    const detail = 'It says that events were erased, and the service did not record that. It covers none.'
    report({ kind: 'erasure_forged', event: nameOf(event), block: null, detail })
    return []
  })
}

function erasedBy({ covers, directory }: Verifying): Erased[] {
  const byOrganization = Map.groupBy(covers, ({ cover }) => cover.subOrgId)
  return [...byOrganization].map(([organizationId, own]) => ({
    directory,
    organizationId,
    events: own.reduce((sum, { count }) => sum + count, 0),
    by: own.map(({ event }) => ({ id: event.id, at: event.created_at === null ? null : isoOf(event.created_at) })),
  }))
}

/** Counts an erased event for the recorded erasure that it belongs to. Returns false if there is none. */
function isCovered({ covers }: Verifying, event: EventText): boolean {
  const place = positionOf(event)
  const covering = covers.find(({ cover: { through }, ids }) =>
    through ? !isBehind(place, through) : ids.has(event.id),
  )
  if (covering) covering.count++
  return covering !== undefined
}

/** The block and hash at which the chain begins. */
function readAnchor({ key, directory, report }: Verifying, head: Head | null): { seq: number; hash: Buffer } {
  if (!head?.anchor_hash || !head.anchor_seal) return { seq: 0, hash: NO_HASH }
  const { anchor_seq: seq, anchor_hash: hash } = head
  if (!sealAnchor(key, directory.id, seq, hash).equals(head.anchor_seal)) {
    const detail = `What was up to block ${seq} did not go because its retention was over.`
    report({ kind: 'anchor_broken', event: null, block: seq, detail })
  }
  return { seq, hash }
}

function verifyLink({ key, report }: Verifying, block: Block & { hash: Buffer }, last: { seq: number; hash: Buffer }) {
  const said = { event: null, block: block.seq }
  const times = `its ${block.eventIds.length} events are of ${isoOf(block.firstAt)} to ${isoOf(block.lastAt)}`
  if (block.seq !== last.seq + 1) {
    const detail = `Blocks ${last.seq + 1} to ${block.seq - 1} are missing before this one; ${times}.`
    report({ kind: 'blocks_removed', ...said, detail })
  } else if (!hashBlock(key, last.hash, block).equals(block.hash))
    report({ kind: 'chain_broken', ...said, detail: `The block does not follow from the one before; ${times}.` })
}

/**
 * Checks that the events in the block's range, which begins after the previous block, are exactly the events that the
 * block names.
 */
async function verifyEvents(work: Verifying, block: Block, after: Position): Promise<void> {
  const { db, key, directory, report } = work
  const { eventIds, digests, end, seq } = block
  const limit = eventIds.length + MORE_EVENTS
  const found = await selectBetween(db, directory.id, { after, until: end, limit })
  const byId = new Map(found.map((event) => [event.id, event]))
  for (const [index, id] of eventIds.entries()) {
    const event = byId.get(id) ?? (await selectEvent(db, directory.id, id))
    if (!event) {
      const detail = `Event ${index + 1} of ${eventIds.length} in the block is not there.`
      report({ kind: 'removed', event: { id, at: timeOf(id), type: null }, block: seq, detail })
      continue
    }
    const parts = differingParts(digestEvent(key, event), digestAt(digests, index))
    const isShell = isBlank(event) && !parts.some((part) => KEPT_PARTS.includes(part))
    if (isShell && isCovered(work, event)) continue
    if (parts.length) report({ ...(isShell ? notErased(event) : changed(event, parts)), block: seq })
  }
  const named = new Set(eventIds)
  for (const event of found) if (!named.has(event.id)) await reportExtra(work, event)
}

// The parts of an event that an erasure keeps.
const KEPT_PARTS = ['place', 'time', 'act']

function notErased(event: EventText): Omit<Finding, 'directory' | 'block'> {
  const detail = 'Its personal parts are gone, and no erasure of an organization covers it.'
  return { kind: 'not_erased', event: nameOf(event), detail }
}

function changed(event: EventText, parts: string[]): Omit<Finding, 'directory' | 'block'> {
  const isMoved = parts.length === 1 && parts[0] === 'place'
  return { kind: isMoved ? 'moved' : 'changed', event: nameOf(event), detail: `What differs: ${parts.join(', ')}.` }
}

/**
 * Reports an event that is in none of the directory's blocks. An event of another block is reported there, as moved.
 */
async function reportExtra({ db, directory, report }: Verifying, event: EventText): Promise<void> {
  if ((await findBlockOf(db, directory.id, event.id)) !== null) return
  report({ kind: 'inserted', event: nameOf(event), block: null, detail: 'The chain has passed its place without it.' })
}

async function compareHead(
  { db, directory, report }: Verifying,
  kept: KeptHead,
  { anchor, last }: { anchor: { seq: number; hash: Buffer }; last: number },
): Promise<void> {
  // Retention has removed this block, so it cannot be compared.
  if (kept.block < anchor.seq) return
  const said = { event: null, block: kept.block }
  if (kept.block > last) {
    const detail = `The chain ends at block ${last}, and has been longer: everything behind was cut off.`
    report({ kind: 'tail_removed', ...said, detail })
    return
  }
  const hash = kept.block === anchor.seq ? anchor.hash : await findBlockHash(db, directory.id, kept.block)
  if (hash?.toString('hex') !== kept.hash)
    report({ kind: 'head_differs', ...said, detail: 'The block is another than the one whose hash was kept.' })
}

function nameOf({ id, created_at, type }: EventText): NonNullable<Finding['event']> {
  return { id, at: created_at === null ? null : isoOf(created_at), type }
}

function isoOf(microseconds: string): string {
  return new Date(Number(BigInt(microseconds) / 1000n)).toISOString()
}

/** When a removed event was recorded: its id begins with the time (RFC 9562 §5.7). */
function timeOf(id: string): string {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString()
}

/** The heads of all chains in `range`, to be stored elsewhere. Reads one page at a time. */
export async function* readHeads(platform: Platform, range: Range): AsyncGenerator<KeptHead & { at: string }> {
  for (let after = START.id; ; ) {
    const directories = await listDirectories(platform.db, range, after, DIRECTORIES)
    const ids = directories.map(({ id }) => id)
    // Process clock: only shows people when the heads were printed.
    const at = platform.clock.now().toISOString()
    for (const { directory_id, seq, hash } of (await selectHeads(platform.db, ids)).values())
      yield { directory: directory_id, block: seq, hash: hash.toString('hex'), at }
    const last = ids.at(-1)
    if (last === undefined) return
    after = last
  }
}
