import type { Caller, TestApp } from './harness.ts'
import type { FeatureSample } from './samples.ts'

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
  make: (app: TestApp, start: Start) => Promise<World>
  add: <Made extends Records>(
    feature: FeatureSample & { makeRecords: (app: TestApp, before: World) => Promise<Made> },
  ) => RecordMakers<World & Made>
}

/** No feature yet. */
export const noRecords = recordMakers<Start>([], async (_, start) => start)

function recordMakers<World extends Start>(
  features: readonly FeatureSample[],
  make: (app: TestApp, start: Start) => Promise<World>,
): RecordMakers<World> {
  return {
    features,
    make,
    add: (feature) =>
      recordMakers([...features, feature], async (app, start) => {
        const world = await make(app, start)
        return join(world, await feature.makeRecords(app, world))
      }),
  }
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
