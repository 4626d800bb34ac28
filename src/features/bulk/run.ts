import { ApiError, httpErrors } from '../../platform/errors.ts'
import { mediaOf } from '../../platform/http/media.ts'
import { toProblem } from '../../platform/http/problem.ts'
import { isObject, own, type ScimValue } from '../../platform/scim/json.ts'
import type { Work } from '../../platform/work.ts'
import { asScimError, type Provisioning, scimError, scimErrors } from '../scim/scim.ts'
import { type Operation, type Performed, perform } from './perform.ts'
import { type Asked, isTooDeep, openQueue, PREFIX, textsIn } from './references.ts'

const RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:BulkResponse'
const MAX_OPERATIONS = 1000

/** Members that are not there yet, since groups are in one another. */
interface Later {
  path: string
  members: ScimValue[]
}

/**
 * Performs a BulkRequest (RFC 7644 §3.7), each operation by itself, those that refer to another after that. Groups that
 * refer to one another in a circle are made first, and then get their members. Throws `scim_invalid_syntax`,
 * `payload_too_large`.
 */
export async function runBulk(work: Work, body: unknown, provisioning: Provisioning) {
  const { operations, failOnErrors } = readBulk(body)
  const [ids, results, later] = [new Map<string, string | null>(), new Map<number, object>(), [] as Later[]]
  const bulkIds = new Set(operations.flatMap(({ bulkId }) => bulkId ?? []))
  const queue = openQueue(operations)
  let errors = 0
  while (!(failOnErrors > 0 && errors >= failOnErrors)) {
    const next = queue.take()
    if (!next) break
    const done = await attempt(work, async () => {
      const { operation, members } = resolve(next, ids, bulkIds)
      const performed = await perform(work, operation, provisioning)
      if (members.length > 0) later.push({ path: `/Groups/${performed.id}`, members })
      return performed
    })
    if (next.bulkId !== null) {
      ids.set(next.bulkId, 'id' in done ? done.id : null)
      queue.settle(next.bulkId)
    }
    if ('response' in done) errors += 1
    results.set(next.n, toResult(next, done))
  }
  for (const { path, members } of later) {
    await attempt(work, async () => {
      const data = { Operations: [{ op: 'add', path: 'members', value: replaceRefs(members, ids) }] }
      return perform(work, { method: 'PATCH', path, data, version: null }, provisioning)
    })
  }
  return { schemas: [RESPONSE], Operations: operations.flatMap(({ n }) => results.get(n) ?? []) }
}

function readBulk(body: unknown): { operations: Asked[]; failOnErrors: number } {
  const given = isObject(body) ? own(body, 'Operations') : undefined
  if (!Array.isArray(given)) throw scimError(scimErrors.invalidSyntax, 'A BulkRequest has "Operations", an array.')
  if (given.length > MAX_OPERATIONS)
    throw httpErrors.payloadTooLarge({ detail: `A BulkRequest has at most ${MAX_OPERATIONS} operations.` })
  const failOnErrors = isObject(body) ? own(body, 'failOnErrors') : undefined
  const operations = given.map((one, n): Asked => {
    const text = (name: string) => {
      const value = isObject(one) ? own(one, name) : undefined
      return typeof value === 'string' ? value : null
    }
    const data = isObject(one) ? (own(one, 'data') ?? {}) : {}
    const fields = { bulkId: text('bulkId'), version: text('version') }
    return { n, method: text('method') ?? '', path: text('path') ?? '', data, ...fields }
  })
  // RFC 7644 §3.7: unique in the request; what refers to one would mean either.
  const bulkIds = operations.flatMap(({ bulkId }) => bulkId ?? [])
  if (new Set(bulkIds).size < bulkIds.length)
    throw scimError(scimErrors.invalidSyntax, 'Two operations have the same bulkId.')
  return { operations, failOnErrors: typeof failOnErrors === 'number' ? failOnErrors : 0 }
}

type Ids = ReadonlyMap<string, string | null>

/** With the ids in place of bulkIds; members that are not there yet are left out of a new group. */
function resolve(
  { method, path, data, version }: Asked,
  ids: Ids,
  bulkIds: ReadonlySet<string>,
): { operation: Operation; members: ScimValue[] } {
  if (isTooDeep(data)) throw scimError(scimErrors.invalidValue, 'The values are nested too deeply.')
  const isNewGroup = method.toUpperCase() === 'POST' && /^\/?Groups\/?$/.test(path)
  const all = isObject(data) ? own(data, 'members') : undefined
  const isWaiting = (id: string, text: string) => text.startsWith(PREFIX) && bulkIds.has(id) && !ids.has(id)
  const isLate = (member: ScimValue) => textsIn(member).some((text) => isWaiting(text.slice(PREFIX.length), text))
  const { late: members = [], there = [] } =
    isNewGroup && Array.isArray(all) ? Object.groupBy(all, (member) => (isLate(member) ? 'late' : 'there')) : {}
  const kept = members.length > 0 && isObject(data) ? { ...data, members: there } : data
  const [head = '', bulkId] = path.split(PREFIX)
  const place = bulkId === undefined ? path : head + idOf(bulkId, ids)
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

type Refused = { status: number; response: unknown }

/** What it came to, or its refusal; what is our fault fails the whole request. */
async function attempt(work: Work, run: () => Promise<Performed>): Promise<Performed | Refused> {
  try {
    return await run()
  } catch (thrown) {
    const error = asScimError(thrown)
    if (!(error instanceof ApiError) || error.definition.status >= 500) throw error
    const problem = toProblem(error, '', work.origin.requestId ?? '')
    return { status: problem.status, response: JSON.parse(mediaOf('scim').refuse(problem, '').text) }
  }
}

function toResult({ method, bulkId }: Asked, done: Performed | Refused): object {
  const named = { method: method.toUpperCase(), ...(bulkId === null ? {} : { bulkId }) }
  const status = String(done.status)
  if ('response' in done) return { ...named, status, response: done.response }
  return { ...named, location: done.location, ...(done.version === null ? {} : { version: done.version }), status }
}
