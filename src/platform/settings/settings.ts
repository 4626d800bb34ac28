import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { httpErrors } from '../errors.ts'
import { changedFrom, defineEvents, type EventDefinition, type EventFactory, record } from '../events/events.ts'
import { named, nullable } from '../schema.ts'
import type { AccountScope } from '../tenancy/directory.ts'
import { fits } from '../validator.ts'
import { inTx, type TxWork, type Work } from '../work.ts'
import { type Layers, onlyObject, rowsOf, type SettingsTable, type Tenant } from './settings-rows.ts'

/** Where a setting's value comes from. */
export type SettingSource = 'default' | 'account' | 'directory'

/** The source of each value in a family. */
export const SettingsSources = named(
  'SettingsSources',
  Type.Record(Type.String(), Type.Enum(['default', 'account', 'directory']), {
    description:
      'Where each value comes from: the organization (`directory`), the environment’s defaults (`account`) or the service (`default`).',
  }),
)

/** The effective values before and after a change. */
interface SettingsChange {
  before: object
  after: object
}

/** The settings of a family that one feature owns, defines, checks and reads. */
export interface SettingsPart<P extends TProperties> {
  table: SettingsTable
  schema: TObject<P>
  defaults: Record<string, unknown>
  /** The effective values. */
  effective(work: Tenant): Promise<Static<TObject<P>>>
  /** Checks a change beyond the schema of each field. Throws `invalid_request`. */
  assertFit(work: Tenant, patch: Record<string, unknown>): Promise<void>
  /** Applies further effects of a change, in its transaction. */
  settle(work: TxWork, change: SettingsChange): Promise<void>
  /** The events that `settle` may record. */
  entailed: EventDefinition[]
}

/**
 * A family of settings. If a directory does not set a value, it inherits the value from the account-level directory of
 * its environment, which in turn inherits from the defaults. A row contains only the values set in its directory.
 */
export interface Settings<P extends TProperties> extends SettingsPart<P> {
  /** Where each value comes from. */
  sources(work: Tenant): Promise<Record<string, SettingSource>>
  /**
   * Sets fields, or resets them to the inherited value with null. In a field that is an object, only the named fields
   * change. Records the event, and returns the new effective values. Throws `invalid_request` for values that do not
   * fit together.
   */
  update(work: Work, patch: Record<string, unknown>): Promise<Static<TObject<P>>>
  events: { updated: EventFactory }
  /** The body of a change, in which every field is optional and nullable. */
  patchBody: TProperties
}

/** The values of a family or of a part of one. */
export type ValuesOf<F extends { effective(work: Tenant): unknown }> = Awaited<ReturnType<F['effective']>>

/** Checks a change against the values that are effective before it. Throws `invalid_request`. */
type Fit<P extends TProperties> = (
  work: Tenant,
  patch: Record<string, unknown>,
  present: Static<TObject<P>>,
) => Promise<void> | void

/** Defines the part of a family that one feature owns. All parts of a table are read together from one cache. */
export function defineSettingsPart<P extends TProperties>(
  table: SettingsTable,
  schema: TObject<P>,
  defaults: Static<TObject<P>>,
  assertFit: Fit<P> = () => {},
): SettingsPart<P> {
  const effective = reader(table, schema, onlyObject(defaults))
  return {
    table,
    schema,
    defaults: onlyObject(defaults),
    effective,
    assertFit: async (work, patch) => assertFit(work, patch, await effective(work)),
    settle: async () => {},
    entailed: [],
  }
}

/** A part whose changes have further effects, with the events that these effects may record. */
export function entailing<P extends TProperties>(
  part: SettingsPart<P>,
  effects: Pick<SettingsPart<P>, 'settle' | 'entailed'>,
): SettingsPart<P> {
  return { ...part, ...effects }
}

/** Joins two parts of a family. Throws if they belong to different families or define the same field. */
export function joinSettings<A extends TProperties, B extends TProperties>(
  a: SettingsPart<A>,
  b: SettingsPart<B>,
): SettingsPart<A & B> {
  const twice = Object.keys(a.schema.properties).filter((name) => name in b.schema.properties)
  if (a.table !== b.table || twice.length > 0) throw new Error(`Parts of ${a.table} do not join: ${twice.join()}`)
  const schema = Type.Object({ ...a.schema.properties, ...b.schema.properties })
  const defaults = { ...a.defaults, ...b.defaults }
  return {
    table: a.table,
    schema,
    defaults,
    effective: reader(a.table, schema, defaults),
    async assertFit(work, patch) {
      await a.assertFit(work, patch)
      await b.assertFit(work, patch)
    },
    async settle(work, change) {
      await a.settle(work, change)
      await b.settle(work, change)
    },
    entailed: [...a.entailed, ...b.entailed],
  }
}

function reader<P extends TProperties>(table: SettingsTable, schema: TObject<P>, defaults: Record<string, unknown>) {
  const { layers } = rowsOf(table)
  // Cached rows stay the same objects until they change, so their values are composed only once.
  const composed = new WeakMap<object, { inherited: object; values: Static<TObject<P>> }>()
  const valuesOf = ({ own, inherited }: Layers): Static<TObject<P>> => {
    const known = composed.get(own)
    if (known?.inherited === inherited) return known.values
    const values = compose(schema, defaults, inherited, own)
    composed.set(own, { inherited, values })
    return values
  }
  return async (work: Tenant): Promise<Static<TObject<P>>> => valuesOf(await layers(work))
}

function compose<P extends TProperties>(
  schema: TObject<P>,
  defaults: Record<string, unknown>,
  inherited: Record<string, unknown>,
  own: Record<string, unknown>,
): Static<TObject<P>> {
  const values: unknown = overlay(schema, overlay(schema, defaults, inherited), own)
  if (!isWhole(schema, values)) throw new Error('The defaults of settings do not fit their schema')
  return values
}

/**
 * Defines a family stored in a table with `directory_id` and `settings`. `help` is a sentence that says when its event
 * is recorded.
 */
export function defineSettings<P extends TProperties>(
  table: SettingsTable,
  help: string,
  schema: TObject<P>,
  defaults: Static<TObject<P>>,
): Settings<P> {
  return settingsFamily(help, defineSettingsPart(table, schema, defaults))
}

/** Makes a family from all of its joined parts. `help` is a sentence that says when its event is recorded. */
export function settingsFamily<P extends TProperties>(help: string, whole: SettingsPart<P>): Settings<P> {
  const { table, schema, defaults } = whole
  const events = defineEvents({
    updated: [
      `${table.replace('_', '.')}.updated`,
      help,
      Type.Object(
        {},
        { additionalProperties: true, description: 'The values that were set. Null: the value is inherited again.' },
      ),
      Object.fromEntries(Object.entries(defaults).slice(0, 1)),
    ],
  })
  const { layers, write } = rowsOf(table)
  return {
    ...whole,
    events,
    patchBody: patchOf(schema.properties),
    async sources(work) {
      const { own, inherited } = await layers(work)
      const mine = work.directory.kind === 'account' ? 'account' : 'directory'
      const sourceOf = (name: string) => (name in own ? mine : name in inherited ? 'account' : 'default')
      return Object.fromEntries(Object.keys(schema.properties).map((name) => [name, sourceOf(name)]))
    },
    async update(work, patch) {
      await whole.assertFit(work, patch)
      const data = Object.fromEntries(Object.entries(patch).filter(([name]) => name in schema.properties))
      return inTx(work, async (work) => {
        const { inherited } = await layers(work)
        const own = await write(work, data)
        const before = compose(schema, defaults, inherited, own.before)
        const after = compose(schema, defaults, inherited, own.after)
        const named = Object.fromEntries(Object.entries(after).filter(([name]) => name in data))
        await record(work, events.updated({ data, previous: changedFrom<object>(before, named) }))
        await whole.settle(work, { before, after })
        return after
      })
    },
  }
}

/** The body of a change, in which every field, and every field of a group, is optional and nullable. */
function patchOf(properties: TProperties): TProperties {
  const fields = Object.entries(properties).map(([name, field]) => {
    if (!Type.IsObject(field)) return [name, Type.Optional(nullable(field))] as const
    const group = Type.Object(patchOf(field.properties), { additionalProperties: false })
    return [name, Type.Optional(nullable(group, String(Reflect.get(field, 'description'))))] as const
  })
  return Object.fromEntries(fields)
}

/**
 * Overlays values with those of another layer. Groups are merged field by field. A value that an earlier release
 * stored and this one no longer accepts is replaced by the inherited value.
 */
function overlay(
  schema: TObject,
  base: Record<string, unknown>,
  values: Record<string, unknown>,
): Record<string, unknown> {
  const result = { ...base }
  for (const [name, field] of Object.entries<TProperties[string]>(schema.properties)) {
    const value = values[name]
    if (Type.IsObject(field)) result[name] = overlay(field, onlyObject(base[name]), onlyObject(value))
    else if (value !== undefined && fits(field, value)) result[name] = value
  }
  return result
}

/**
 * Whether values belong to a family. Checks each field with its own schema: many fields share a schema, which would be
 * compiled again for each field if the whole were checked.
 */
function isWhole<P extends TProperties>(schema: TObject<P>, values: unknown): values is Static<TObject<P>> {
  const given = onlyObject(values)
  return Object.entries<TProperties[string]>(schema.properties).every(([name, field]) =>
    Type.IsObject(field) ? isWhole(field, given[name]) : fits(field, given[name]),
  )
}

/**
 * Checks that a key may set the defaults that all organizations inherit, and returns its scope. Throws
 * `sub_org_mismatch` for a key of one organization.
 */
export function accountDefaults(scope: AccountScope): AccountScope {
  if (scope.organizationId === null) return scope
  throw httpErrors.subOrgMismatch({
    detail:
      'To set the defaults of all organizations, use an org-wide key (not limited to one organization) and omit subOrgId.',
  })
}
