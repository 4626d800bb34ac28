import { type RawBuilder, sql } from 'kysely'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { Value } from 'typebox/value'
import type { DB, Json } from './db/schema.gen.ts'
import { httpErrors } from './errors.ts'
import { changedFrom, defineEvents, type EventFactory, record } from './events.ts'
import { type AccountScope, accountDirectory } from './http/directory.ts'
import { perPlatform } from './platform.ts'
import { named, nullable } from './schema.ts'
import { inTx, type TxWork, type Work } from './work.ts'

/** Where a setting's value comes from. */
export type SettingSource = 'default' | 'account' | 'directory'

/** The source of each value of a family. */
export const SettingsSources = named(
  'SettingsSources',
  Type.Record(Type.String(), Type.Enum(['default', 'account', 'directory'])),
)

/**
 * One family of settings. A directory inherits what it does not set from the account-level directory of its
 * environment, which inherits from the defaults; a row holds only what was set there.
 */
export interface Settings<P extends TProperties> {
  /** The values in force. */
  effective(work: Tenant): Promise<Static<TObject<P>>>
  /** Where each value comes from. */
  sources(work: Tenant): Promise<Record<string, SettingSource>>
  /**
   * Sets fields, or resets them to the inherited value with null; in a field that is an object, only those named.
   * Records the event, and returns the values now in force.
   */
  update(work: Work, patch: Record<string, unknown>): Promise<Static<TObject<P>>>
  events: { updated: EventFactory }
  /** The body of a change: every field optional and nullable. */
  patchBody: TProperties
}

/** The values of a family. */
export type ValuesOf<F extends { effective(work: Tenant): Promise<unknown> }> = Awaited<ReturnType<F['effective']>>

/** The directory whose settings are read. */
type Tenant = Pick<Work, 'platform' | 'directory'>

const NOTHING = {}

/** The tables that hold a family: `directory_id`, `settings`. */
type SettingsTable = {
  [T in keyof DB]: DB[T] extends { directory_id: string; settings: Json; updated_at: unknown } ? T : never
}[keyof DB]

/** Defines a family kept in a table of `directory_id`, `settings`. `help` says in a sentence when its event is recorded. */
export function defineSettings<P extends TProperties>(
  table: SettingsTable,
  help: string,
  schema: TObject<P>,
  defaults: Static<TObject<P>>,
): Settings<P> {
  const events = defineEvents({
    updated: [
      `${table.replace('_', '.')}.updated`,
      help,
      Type.Object({}, { additionalProperties: true, description: 'What was set; null if inherited again.' }),
      { data: Object.fromEntries(Object.entries(defaults).slice(0, 1)) },
    ],
  })
  const { layers, write } = settingsRows(table)
  // Cached rows keep their identity until they change, so their composition is computed once.
  const composed = new WeakMap<object, { inherited: object; values: Static<TObject<P>> }>()

  function compose(inherited: Record<string, unknown>, own: Record<string, unknown>): Static<TObject<P>> {
    const values: unknown = overlay(schema, overlay(schema, onlyObject(defaults), inherited), own)
    if (!Value.Check(schema, values)) throw new Error(`The defaults of ${table} do not fit their schema`)
    return values
  }

  const family: Settings<P> = {
    events,
    patchBody: patchOf(schema.properties),
    async effective(work) {
      const { own, inherited } = await layers(work)
      const known = composed.get(own)
      if (known?.inherited === inherited) return known.values
      const values = compose(inherited, own)
      composed.set(own, { inherited, values })
      return values
    },
    async sources(work) {
      const { own, inherited } = await layers(work)
      const mine = work.directory.kind === 'account' ? 'account' : 'directory'
      const sourceOf = (name: string) => (name in own ? mine : name in inherited ? 'account' : 'default')
      return Object.fromEntries(Object.keys(schema.properties).map((name) => [name, sourceOf(name)]))
    },
    async update(work, patch) {
      const data = Object.fromEntries(Object.entries(patch).filter(([name]) => name in schema.properties))
      return inTx(work, async (work) => {
        const { inherited } = await layers(work)
        const own = await write(work, data)
        const [before, after] = [compose(inherited, own.before), compose(inherited, own.after)]
        const named = Object.fromEntries(Object.entries(after).filter(([name]) => name in data))
        await record(work, events.updated({ data, previous: changedFrom<object>(before, named) }))
        return after
      })
    },
  }
  return family
}

/** What directories have set, as rows of a table. */
function settingsRows(table: SettingsTable) {
  const overrides = perPlatform((platform) =>
    platform.caches.define<Record<string, unknown>>(table, async (directoryId) => {
      const row = await platform.db
        .selectFrom(table)
        .select('settings')
        .where('directory_id', '=', directoryId)
        .executeTakeFirst()
      return onlyObject(row?.settings)
    }),
  )

  async function layers({ platform, directory }: Tenant) {
    const account = directory.kind === 'account' ? directory : await accountDirectory(platform, directory)
    const cache = overrides(platform)
    const own = await cache.get(directory.id)
    return { own, inherited: account === directory ? NOTHING : await cache.get(account.id) }
  }

  /** What the directory itself has set, before and after a change. */
  async function write({ platform, directory, db }: TxWork, patch: Record<string, unknown>) {
    // Locks the row even if this makes it, so that of two first changes the second knows what the first has set.
    const before = await db
      .insertInto(table)
      .values({ directory_id: directory.id, settings: '{}' })
      .onConflict((conflict) =>
        conflict.column('directory_id').doUpdateSet((eb) => ({ updated_at: eb.ref('excluded.updated_at') })),
      )
      .returning('settings')
      .executeTakeFirstOrThrow()
    const after = await db
      .updateTable(table)
      .set({ settings: changed(sql.ref('settings'), patch) })
      .where('directory_id', '=', directory.id)
      .returning('settings')
      .executeTakeFirstOrThrow()
    await overrides(platform).invalidate(db, directory.id)
    return { before: onlyObject(before.settings), after: onlyObject(after.settings) }
  }
  return { layers, write }
}

/** The body of a change: every field, and every field within a group, optional and nullable. */
function patchOf(properties: TProperties): TProperties {
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = Type.IsObject(field) ? Type.Object(patchOf(field.properties), { additionalProperties: false }) : field
    return [name, Type.Optional(nullable(value))] as const
  })
  return Object.fromEntries(fields)
}

/**
 * The values overlaid with those of another layer, groups field by field. What an earlier release stored and this one
 * no longer accepts falls back to the inherited value.
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
    else if (value !== undefined && Value.Check(field, value)) result[name] = value
  }
  return result
}

/** The stored values with a patch applied: groups field by field, nulls removed. */
function changed(stored: RawBuilder<unknown>, patch: Record<string, unknown>) {
  const groups = Object.entries(patch).filter(([, value]) => typeof value === 'object' && value !== null)
  // `jsonb_build_object` would not be immutable, as a distributed database wants it of what reads columns.
  const merged = groups
    .filter(([, value]) => !Array.isArray(value))
    .reduce<RawBuilder<unknown>>(
      (whole, [name, value]) => sql`jsonb_set(${whole}, array[${name}::text],
        coalesce(${stored} -> ${name}::text, '{}') || ${JSON.stringify(value)}::jsonb)`,
      sql`${stored} || ${JSON.stringify(patch)}::jsonb`,
    )
  return sql<string>`jsonb_strip_nulls(${merged})`
}

function onlyObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** The scope of a key that may set what all organizations inherit. Throws `sub_org_mismatch` for a narrower key. */
export function accountDefaults(scope: AccountScope): AccountScope {
  if (scope.organizationId === null) return scope
  throw httpErrors.subOrgMismatch({
    detail: 'To set the defaults of all organizations, use an org-wide key and leave out subOrgId.',
  })
}
