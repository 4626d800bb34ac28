import { type RawBuilder, sql } from 'kysely'
import type { DB, Json } from '../db/schema.gen.ts'
import { perPlatform } from '../platform.ts'
import { defaultsDirectory } from '../tenancy/directory.ts'
import type { TxWork, Work } from '../work.ts'

/** The directory whose settings are read. */
export type Tenant = Pick<Work, 'platform' | 'directory'>

/** The tables that store a settings family, with the columns `directory_id` and `settings`. */
export type SettingsTable = {
  [T in keyof DB]: DB[T] extends { directory_id: string; settings: Json; updated_at: unknown } ? T : never
}[keyof DB]

const NOTHING = {}

/** The settings of a directory itself, and those that it inherits. */
export interface Layers {
  own: Record<string, unknown>
  inherited: Record<string, unknown>
}

/** Reads the settings rows of directories. All readers of a table share one cache. */
export function rowsOf(table: SettingsTable): SettingsRows {
  const known = opened.get(table)
  if (known) return known
  const rows = openRows(table)
  opened.set(table, rows)
  return rows
}

type SettingsRows = ReturnType<typeof openRows>

const opened = new Map<SettingsTable, SettingsRows>()

function openRows(table: SettingsTable) {
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

  async function layers({ platform, directory }: Tenant): Promise<Layers> {
    const cache = overrides(platform)
    const own = await cache.get(directory.id)
    const account = await defaultsDirectory(platform, directory)
    return { own, inherited: account === directory ? NOTHING : await cache.get(account.id) }
  }

  /** Writes a directory's own settings. Returns them before and after the change. */
  async function write({ platform, directory, db }: TxWork, patch: Record<string, unknown>) {
    // Locks the row even if this statement inserts it, so that the second of two first changes sees the first.
    // Table by name: each family of settings names its own table in `defineSettings`.
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

/** The stored values with a patch applied. Groups are merged field by field, and nulls removed. */
function changed(stored: RawBuilder<unknown>, patch: Record<string, unknown>) {
  const groups = Object.entries(patch).filter(([, value]) => typeof value === 'object' && value !== null)
  // `jsonb_build_object` is not immutable, and a distributed database requires that of functions that read columns.
  const merged = groups
    .filter(([, value]) => !Array.isArray(value))
    .reduce<RawBuilder<unknown>>(
      (whole, [name, value]) => sql`jsonb_set(${whole}, array[${name}::text],
        coalesce(${stored} -> ${name}::text, '{}') || ${JSON.stringify(value)}::jsonb)`,
      sql`${stored} || ${JSON.stringify(patch)}::jsonb`,
    )
  return sql<string>`jsonb_strip_nulls(${merged})`
}

/** The value, if it is an object. */
export function onlyObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
