import { httpErrors } from '../../../platform/errors.ts'
import { mediaOf } from '../../../platform/http/media.ts'
import { asApiError, toProblem } from '../../../platform/http/problem.ts'
import { inTurn, openFairQueue } from '../../../platform/limits/fair-queue.ts'
import { perPlatform } from '../../../platform/platform.ts'
import type { Work } from '../../../platform/work.ts'
import { isObject, own, type ScimValue } from '../language/json.ts'
import { asScimError, getProvisioning, type Provisioning, scimError, scimErrors } from '../scim/scim.ts'
import { type Operation, type Performed, perform } from './perform.ts'
import { type BulkOperation, isTooDeep, openQueue, PREFIX, textsIn } from './references.ts'

const RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse'
const MAX_OPERATIONS = 1000

// Each bulk request uses one of ten connections while an operation runs.
const waiting = perPlatform(() =>
  openFairQueue({ turns: 4, turnsOfOne: 3, places: 104, placesOfOne: 32, patienceMs: 5000 }),
)

/** Members that do not exist yet, because groups contain each other. */
interface Later {
  asked: BulkOperation
  made: Performed
  members: ScimValue[]
}

/**
 * Performs a BulkRequest (RFC 7644 §3.7) when it is its turn, one operation at a time. Operations that refer to
 * another one run after it. Groups that refer to each other in a circle are created first and get their members
 * afterwards.
 * Throws `scim_invalid_syntax`, `payload_too_large`, `unavailable` if too many requests wait.
 */
export async function runBulk(work: Work, body: unknown) {
  const request = readBulk(body)
  const owner = { id: work.directory.accountId, part: work.directory.id }
  const results = await inTurn(waiting(work.platform), owner, () => runAll(work, request))
  return { schemas: [RESPONSE], Operations: request.operations.flatMap(({ n }) => results.get(n) ?? []) }
}

async function runAll(work: Work, { operations, failOnErrors }: BulkRequest): Promise<Map<number, object>> {
  const [ids, results, later] = [new Map<string, string | null>(), new Map<number, object>(), [] as Later[]]
  const bulkIds = new Set(operations.flatMap(({ bulkId }) => bulkId ?? []))
  const queue = openQueue(operations)
  let errors = 0
  const note = (asked: BulkOperation, done: Performed | Refused) => {
    results.set(asked.n, toResult(asked, done))
    if ('response' in done) errors = done.status >= 500 ? Infinity : errors + 1
  }
  const isOver = () => errors >= (failOnErrors > 0 ? failOnErrors : Infinity)
  while (!isOver()) {
    const next = queue.take()
    if (!next) break
    const done = await attempt(work, async (provisioning) => {
      const { operation, members } = resolve(next, ids, bulkIds)
      const made = await perform(work, operation, provisioning)
      if (members.length > 0) later.push({ asked: next, made, members })
      return made
    })
    if (next.bulkId !== null) {
      ids.set(next.bulkId, 'id' in done ? done.id : null)
      queue.settle(next.bulkId)
    }
    note(next, done)
  }
  for (const { asked, made, members } of errors < Infinity ? later : []) {
    const done = await attempt(work, async (provisioning) => {
      const data = { Operations: [{ op: 'add', path: 'members', value: replaceRefs(members, ids) }] }
      const change = { method: 'PATCH', path: `/Groups/${made.id}`, data, version: null }
      const { version } = await perform(work, change, provisioning)
      return { ...made, version }
    })
    note(asked, 'response' in done ? { ...done, location: made.location } : done)
  }
  return results
}

interface BulkRequest {
  operations: BulkOperation[]
  failOnErrors: number
}

function readBulk(body: unknown): BulkRequest {
  const given = isObject(body) ? own(body, 'Operations') : undefined
  if (!Array.isArray(given)) throw scimError(scimErrors.invalidSyntax, 'A BulkRequest has "Operations", an array.')
  if (given.length > MAX_OPERATIONS)
    throw httpErrors.payloadTooLarge({ detail: `A BulkRequest has at most ${MAX_OPERATIONS} operations.` })
  const failOnErrors = isObject(body) ? own(body, 'failOnErrors') : undefined
  const operations = given.map((one, n): BulkOperation => {
    const text = (name: string) => {
      const value = isObject(one) ? own(one, name) : undefined
      return typeof value === 'string' ? value : null
    }
    const data = isObject(one) ? (own(one, 'data') ?? {}) : {}
    const fields = { bulkId: text('bulkId'), version: text('version') }
    return { n, method: text('method') ?? '', path: text('path') ?? '', data, ...fields }
  })
  // RFC 7644 §3.7: a bulkId must be unique in the request. Otherwise a reference to it would be ambiguous.
  const bulkIds = operations.flatMap(({ bulkId }) => bulkId ?? [])
  if (new Set(bulkIds).size < bulkIds.length)
    throw scimError(scimErrors.invalidSyntax, 'Two operations have the same bulkId.')
  return { operations, failOnErrors: typeof failOnErrors === 'number' ? failOnErrors : 0 }
}

type Ids = ReadonlyMap<string, string | null>

/** Replaces bulkIds by ids. Members that do not exist yet are left out of a new group. */
function resolve(
  { method, path, data, version, bulkId }: BulkOperation,
  ids: Ids,
  bulkIds: ReadonlySet<string>,
): { operation: Operation; members: ScimValue[] } {
  if (method.toUpperCase() === 'POST' && !bulkId)
    throw scimError(scimErrors.invalidSyntax, 'An operation with the method POST has a bulkId (RFC 7644 §3.7).')
  if (isTooDeep(data)) throw scimError(scimErrors.invalidValue, 'The values are nested too deeply.')
  const isNewGroup = method.toUpperCase() === 'POST' && /^\/?Groups\/?$/.test(path)
  const all = isObject(data) ? own(data, 'members') : undefined
  const isWaiting = (id: string, text: string) => text.startsWith(PREFIX) && bulkIds.has(id) && !ids.has(id)
  const isLate = (member: ScimValue) => textsIn(member).some((text) => isWaiting(text.slice(PREFIX.length), text))
  const { late: members = [], there = [] } =
    isNewGroup && Array.isArray(all) ? Object.groupBy(all, (member) => (isLate(member) ? 'late' : 'there')) : {}
  const kept = members.length > 0 && isObject(data) ? { ...data, members: there } : data
  const [head = '', referred] = path.split(PREFIX)
  const place = referred === undefined ? path : head + idOf(referred, ids)
  return { operation: { method, path: place, data: replaceRefs(kept, ids), version }, members }
}

function replaceRefs<T>(value: T, ids: Ids): T {
  return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
    typeof inner === 'string' && inner.startsWith(PREFIX) ? idOf(inner.slice(PREFIX.length), ids) : inner,
  )
}

function idOf(bulkId: string, ids: Ids): string {
  const id = ids.get(bulkId)
  if (id) return id
  throw scimError(
    scimErrors.invalidValue,
    `No operation before has made the bulkId ${JSON.stringify(bulkId.slice(0, 80))}.`,
  )
}

interface Refused {
  status: number
  response: unknown
  /** Set if the operation created a resource, even if a later step was refused. */
  location?: string
}

/**
 * Returns the result of an operation, or its refusal. If the client loses its access, each later operation is refused
 * as a single request would be. An internal error fails the whole request.
 */
async function attempt(
  work: Work,
  run: (provisioning: Provisioning) => Promise<Performed>,
): Promise<Performed | Refused> {
  try {
    return await run(await getProvisioning(work))
  } catch (thrown) {
    const error = asApiError(asScimError(thrown))
    if (error.definition.code === httpErrors.internal.code) throw thrown
    const problem = toProblem(error, '', work.origin.requestId ?? '')
    return { status: problem.status, response: JSON.parse(mediaOf('scim').refuse(problem, '').text) }
  }
}

function toResult({ method, bulkId }: BulkOperation, done: Performed | Refused): object {
  const named = { method: method.toUpperCase(), ...(bulkId === null ? {} : { bulkId }) }
  const status = String(done.status)
  if ('response' in done)
    return { ...named, ...(done.location ? { location: done.location } : {}), status, response: done.response }
  return { ...named, location: done.location, ...(done.version === null ? {} : { version: done.version }), status }
}
