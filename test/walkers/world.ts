import { randomUUID } from 'node:crypto'
import type { Route } from '../../src/platform/http/route.ts'
import type { Tenant, TestApp } from '../harness.ts'
import { namesReadBy, type Start } from '../people/records.ts'
import { makeRecords } from './feature-samples.ts'
import { nameOf, sampleOf } from './samples.ts'

/** One organization in one environment, with a record of every kind, created over the API. */
export type World = Awaited<ReturnType<typeof makeRecords>>

/** What an id in a request stands for. */
export type Kind = keyof World['ids']

/** Creates a world in the tenant, or in an existing organization if `organizationId` is given. */
export async function makeWorld(
  app: TestApp,
  tenant: Tenant,
  options: { environment?: 'production' | 'staging'; organizationId?: string } = {},
): Promise<World> {
  return makeRecords(app, await startOf(tenant, options))
}

/** Creates of a world what one request to a route needs, by default its sample: many times faster than all of it. */
export async function makeWorldFor(
  app: TestApp,
  tenant: Tenant,
  route: Route,
  request: (world: World) => unknown = (world) => sampleOf(route, world),
): Promise<World> {
  const start = await startOf(tenant, {})
  const read = namesReadBy(request)
  if (!read) return makeRecords(app, start)
  const world = await makeRecords(app, start, read.union(new Set([nameOf(route)])))
  return onlyWith(read, { ...world, ids: onlyWith(read, world.ids) })
}

async function startOf(
  tenant: Tenant,
  { environment = 'production', organizationId }: { environment?: 'production' | 'staging'; organizationId?: string },
): Promise<Start> {
  const organization = organizationId ?? (await tenant.organization())
  const orgWide = environment === 'production' ? tenant : await tenant.withKey({ environment })
  const scoped = await tenant.withKey({ environment, subOrgId: organization })
  return { accountId: tenant.accountId, orgWide, scoped, ids: { organization } }
}

/** Throws when anything else is read: it may not be there. */
function onlyWith<T extends object>(wanted: ReadonlySet<string>, records: T): T {
  const always = ['then', 'ids', 'organization', 'scoped', 'orgWide', 'accountId']
  return new Proxy(records, {
    get(target, name) {
      if (typeof name === 'string' && !wanted.has(name) && !always.includes(name))
        throw new Error(`${name} is read, which the request does not read`)
      return Reflect.get(target, name)
    },
  })
}

/** The kind of each id of a world. */
export function kindsOf(world: World): Map<string, Kind> {
  const kinds = Object.keys(world.ids).filter((name): name is Kind => name in world.ids)
  return new Map(kinds.map((kind) => [world.ids[kind], kind]))
}

/** A well-formed id of a kind that no record has. */
export function unknownId(world: World, kind: Kind): string {
  const id = world.ids[kind]
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return randomUUID()
  // Within the secret or the signature of a token, so that only the last check can refuse it.
  const at = id.length - 12
  return id.slice(0, at) + (id[at] === 'A' ? 'B' : 'A') + id.slice(at + 1)
}
