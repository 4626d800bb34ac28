import { randomUUID } from 'node:crypto'
import { makeRecords } from './feature-samples.ts'
import type { Tenant, TestApp } from './harness.ts'

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
  const { environment = 'production' } = options
  const organization = options.organizationId ?? (await tenant.organization())
  const orgWide = environment === 'production' ? tenant : await tenant.withKey({ environment })
  const scoped = await tenant.withKey({ environment, subOrgId: organization })
  return makeRecords(app, { accountId: tenant.accountId, orgWide, scoped, ids: { organization } })
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
