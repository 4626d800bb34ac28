import { type RawBuilder, sql } from 'kysely'
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { Value } from 'typebox/value'
import { httpErrors } from './errors.ts'
import { changedFrom, record } from './events.ts'
import { type AccountScope, accountDirectory } from './http/directory.ts'
import { perPlatform } from './platform.ts'
import { inTx, type TxWork, type Work } from './work.ts'

/** Where a setting's value comes from. */
export type SettingSource = 'default' | 'account' | 'directory'

/**
 * One family of settings. A directory inherits what it does not set from the account-level directory of its
 * environment, and that from the defaults; a row holds only what was set there.
 */
export interface Settings<P extends TProperties> {
  /** The values in force. */
  effective(work: Tenant): Promise<Static<TObject<P>>>
  /** Where each value comes from. */
  sources(work: Tenant): Promise<Record<string, SettingSource>>
  /** Sets fields, or with null returns them to the inherited value; of a field that is an object, what is named. */
  change(work: TxWork, patch: Record<string, unknown>): Promise<void>
  /** The same as a request does it: changes, records the event, and answers the values then in force. */
  update(work: Work, patch: Record<string, unknown>): Promise<Static<TObject<P>>>
  /** The body of a change: every field optional and nullable. */
  patchBody: TProperties
}

/** Where settings are read. */
type Tenant = Pick<Work, 'platform' | 'directory'>

const NOTHING = {}

type SettingsTable = 'auth_settings' | 'otp_settings' | 'mail_settings' | 'passkey_settings'

/** Defines a family kept in a table of `directory_id`, `settings`. */
export function defineSettings<P extends TProperties>(
  table: SettingsTable,
  schema: TObject<P>,
  defaults: Static<TObject<P>>,
): Settings<P> {
  const eventType = `${table.replace('_', '.')}.updated`
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

  // Cached rows keep their identity until they change, so what they compose to is computed once.
  const composed = new WeakMap<object, { inherited: object; values: Static<TObject<P>> }>()

  async function layers({ platform, directory }: Tenant) {
    const account = directory.kind === 'account' ? directory : await accountDirectory(platform, directory)
    const cache = overrides(platform)
    const own = await cache.get(directory.id)
    return { own, inherited: account === directory ? NOTHING : await cache.get(account.id) }
  }

  const family: Settings<P> = {
    patchBody: patchOf(schema.properties),
    async effective(work) {
      const { own, inherited } = await layers(work)
      const known = composed.get(own)
      if (known?.inherited === inherited) return known.values
      const values: unknown = overlay(schema, overlay(schema, onlyObject(defaults), inherited), own)
      if (!Value.Check(schema, values)) throw new Error(`The defaults of ${table} do not fit their schema`)
      composed.set(own, { inherited, values })
      return values
    },
    async sources(work) {
      const { own, inherited } = await layers(work)
      const mine = work.directory.kind === 'account' ? 'account' : 'directory'
      const sourceOf = (name: string) => (name in own ? mine : name in inherited ? 'account' : 'default')
      return Object.fromEntries(Object.keys(schema.properties).map((name) => [name, sourceOf(name)]))
    },
    async change({ platform, directory, db }, patch) {
      await db
        .insertInto(table)
        .values({ directory_id: directory.id, settings: changed(sql`'{}'::jsonb`, patch) })
        .onConflict((conflict) =>
          conflict.column('directory_id').doUpdateSet({
            settings: changed(sql.ref(`${table}.settings`), patch),
            updated_at: sql<Date>`clock_now()`,
          }),
        )
        .execute()
      await overrides(platform).invalidate(db, directory.id)
    },
    async update(work, patch) {
      const data = Object.fromEntries(Object.entries(patch).filter(([name]) => name in schema.properties))
      const before: object = await family.effective(work)
      await inTx(work, async (work) => {
        await family.change(work, data)
        await record(work, { type: eventType, data, previous: changedFrom(before, data) })
      })
      return family.effective(work)
    },
  }
  return family
}

/** The body of a change: every field, and every field of a group of them, optional and nullable. */
function patchOf(properties: TProperties): TProperties {
  const fields = Object.entries(properties).map(([name, field]) => {
    const value = Type.IsObject(field) ? Type.Object(patchOf(field.properties), { additionalProperties: false }) : field
    return [name, Type.Optional(Type.Union([value, Type.Null()]))] as const
  })
  return Object.fromEntries(fields)
}

/**
 * The values with those of another layer over them, a group of fields one by one. What an earlier release stored and
 * this one no longer takes falls back to the inherited value.
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

/** The stored values as a patch leaves them: a group of fields one by one, and none that is null. */
function changed(stored: RawBuilder<unknown>, patch: Record<string, unknown>) {
  const groups = Object.entries(patch).filter(([, value]) => typeof value === 'object' && value !== null)
  const merged = groups
    .filter(([, value]) => !Array.isArray(value))
    .map(
      ([name, value]) =>
        sql`|| jsonb_build_object(${name}::text,
          coalesce(${stored} -> ${name}::text, '{}') || ${JSON.stringify(value)}::jsonb)`,
    )
  return sql<string>`jsonb_strip_nulls(${stored} || ${JSON.stringify(patch)}::jsonb ${sql.join(merged, sql` `)})`
}

function onlyObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** The scope of a key that may set what all organizations inherit. Throws `sub_org_mismatch` for a narrower one. */
export function accountDefaults(scope: AccountScope): AccountScope {
  if (scope.organizationId === null) return scope
  throw httpErrors.subOrgMismatch({
    detail: 'The defaults of all organizations are set without subOrgId, by an org-wide key.',
  })
}
