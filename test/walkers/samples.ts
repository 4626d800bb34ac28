import type { Route } from '../../src/platform/http/route.ts'
import type { Caller, Reply } from '../harness.ts'
import { featureSamples } from './feature-samples.ts'
import type { World } from './world.ts'

/** A request that succeeds in its world with a key of the world's organization. */
export interface SampleRequest {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: Record<string, unknown>
}

/**
 * One for every keyed route, by method and path. Ids are taken from `world.ids`, so that tests can put others there.
 */
export interface Samples {
  [name: string]: (world: World) => SampleRequest
}

/** What `sample.ts` of a feature exports; beside it `makeRecords`, where its samples need records. */
export interface FeatureSample {
  samples: Samples
  /**
   * Routes that a key of one organization may not use: their samples go with an org-wide key, without an organization.
   */
  orgWideOnly?: readonly string[]
  /** Fields that look like ids of records and are none: of every route, or of the one that is named. */
  notIds?: Readonly<Record<string, string>>
}

/** Those of every feature. */
export const samples: Samples = Object.fromEntries(featureSamples.flatMap((feature) => Object.entries(feature.samples)))

export const orgWideOnly: readonly string[] = featureSamples.flatMap((feature) => feature.orgWideOnly ?? [])

export const notIds: Readonly<Record<string, string>> = Object.assign(
  {},
  ...featureSamples.map((feature) => feature.notIds ?? {}),
)

export function nameOf(route: Route): string {
  return `${route.method} ${route.path}`
}

/** The sample request of a route. Throws when it has none, with what to do about it. */
export function sampleOf(route: Route, world: World): SampleRequest {
  const make = samples[nameOf(route)]
  if (!make)
    throw new Error(
      `${nameOf(route)} has no sample: add a request that succeeds to \`samples\` in the sample.ts of its feature, and a new one to the list in test/walkers/feature-samples.ts`,
    )
  return make(world)
}

export interface SendOptions {
  /** Instead of the route's own path, such as an alias. */
  path?: string
  /** Instead of the JSON of the sample's body. */
  text?: string
  headers?: Record<string, string>
}

/** Sends a sample, or what a test has made of it. */
export function sendSample(
  caller: Caller,
  route: Route,
  sample: SampleRequest,
  options: SendOptions = {},
): Promise<Reply> {
  const template = options.path ?? route.path
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(sample.params?.[name] ?? 'missing'),
  )
  const query = new URLSearchParams(sample.query).toString()
  const url = query ? `${path}?${query}` : path
  const body = options.text ?? (route.body ? (sample.body ?? {}) : undefined)
  switch (route.method) {
    case 'GET':
      return caller.get(url, options.headers)
    case 'DELETE':
      return caller.delete(url, options.headers, body)
    case 'POST':
      return caller.post(url, body, options.headers)
    case 'PUT':
      return caller.put(url, body, options.headers)
    case 'PATCH':
      return caller.patch(url, body, options.headers)
  }
}
