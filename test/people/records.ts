import type { Caller, TestApp } from '../harness.ts'
import type { FeatureSample } from '../walkers/samples.ts'

/** A world before any feature has created its records: one organization in one environment, and two keys. */
export interface Start {
  accountId: string
  /** An org-wide key of the environment. */
  orgWide: Caller & { key: string }
  /** A key of this organization only. */
  scoped: Caller & { key: string }
  ids: { organization: string }
}

/**
 * What a feature adds to a world. `ids` are what requests name records by, tokens too: tests put others in their place.
 */
export interface Records {
  ids: Record<string, string>
}

/** Features that make records, each out of what those before it have made; `World` is what there is after the last. */
export interface RecordMakers<World extends Start> {
  features: readonly FeatureSample[]
  /**
   * Of the features whose records or routes are `wanted`, by name, if that is given, and of those whose records these are
   * made of. What others make is not to be read.
   */
  make: (app: TestApp, start: Start, wanted?: ReadonlySet<string>) => Promise<World>
  add: <Made extends Records>(
    feature: FeatureSample & { makeRecords: (app: TestApp, before: World) => Promise<Made> },
  ) => RecordMakers<World & Made>
}

/** No feature yet. */
export const noRecords = recordMakers<Start>([], async (_, start) => start)

function recordMakers<World extends Start>(
  features: readonly FeatureSample[],
  make: RecordMakers<World>['make'],
): RecordMakers<World> {
  return {
    features,
    make,
    add: <Made extends Records>(
      feature: FeatureSample & { makeRecords: (app: TestApp, before: World) => Promise<Made> },
    ) => {
      const routes = new Set(Object.keys(feature.samples))
      // Known once it has made something.
      let known: { reads: ReadonlySet<string>; makes: ReadonlySet<string> } | null = null
      return recordMakers<World & Made>([...features, feature], async (app, start, wanted) => {
        const isWanted = !(known && wanted?.isDisjointFrom(routes) && wanted.isDisjointFrom(known.makes))
        // Those who want others do not read these.
        if (!isWanted) return (await make(app, start, wanted)) as World & Made
        const world = await make(app, start, known ? wanted?.union(known.reads) : undefined)
        const reads = new Set<string>()
        const made = await feature.makeRecords(app, noting(world, reads))
        known ??= { reads, makes: namesOf(made) }
        return join(world, made)
      })
    },
  }
}

/** What `read` reads of a world, by name, or null if that cannot be told without a world, as when it calls the service. */
export function namesReadBy(read: (world: never) => unknown): ReadonlySet<string> | null {
  const names = new Set<string>()
  try {
    const result = read(noting({ ids: anything }, names, anything) as never)
    if (!(result instanceof Promise)) return names
    result.catch(() => undefined)
    return null
  } catch {
    return null
  }
}

/** Stands for any value: it has every field, can be called, and is a text. */
const anything: object = new Proxy(() => anything, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => 'anything' : typeof name === 'symbol' ? undefined : anything),
})

/** The records, of which every name that is read is noted. */
function noting<T extends { ids: object }>(records: T, names: Set<string>, absent?: object): T {
  const notingNames = <O extends object>(of: O, inner: (name: string) => unknown): O =>
    new Proxy(of, { get: (target, name) => (typeof name === 'string' ? inner(name) : Reflect.get(target, name)) })
  const read = (of: object, name: string) => {
    names.add(name)
    return Reflect.get(of, name) ?? absent
  }
  const ids = notingNames(records.ids, (name) => read(records.ids, name))
  return notingNames(records, (name) => (name === 'ids' ? ids : read(records, name)))
}

function namesOf(records: Records): Set<string> {
  return new Set([...Object.keys(records), ...Object.keys(records.ids)])
}

/** Throws when a record of the same name is there already. */
function join<World extends Start, Made extends Records>(world: World, made: Made): World & Made {
  const taken = [
    ...Object.keys(made).filter((name) => name !== 'ids' && name in world),
    ...Object.keys(made.ids).filter((name) => name in world.ids),
  ]
  if (taken.length) throw new Error(`Two features make ${taken.join(', ')}`)
  return { ...world, ...made, ids: { ...world.ids, ...made.ids } }
}
