import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startApp } from '../../../../test/harness.ts'
import { recordStatements } from '../../../../test/rules/sql-recorder.ts'
import { createApiKey } from './api-keys.ts'

const app = await startApp()
const { platform } = app.app
const tenant = await app.tenant()
const subOrgId = await tenant.organization()

/** Creates a key of the organization's custom environment. */
async function makeKeyOf(slug: string, environmentId?: string) {
  const id =
    environmentId ?? (await tenant.post('/v1/environments', { subOrgId, name: slug, slug })).body.environment.id
  const spec = {
    accountId: tenant.accountId,
    environmentId: id,
    environmentSlug: slug,
    organizationId: subOrgId,
    name: 'of a custom environment',
    scopes: ['*'],
    expiresAt: null,
    requestsPerSecond: null,
    createdBy: 'test',
  }
  const { key, row } = await createApiKey(platform, platform.db, spec)
  return { key, row, environmentId: id }
}

test.each(['a', 'preview', 'my-long-slug-of-an-environment', `${'long-'.repeat(12)}end`])(
  'keys of the environment %s show four random characters and are told apart',
  async (slug) => {
    const { key, row, environmentId } = await makeKeyOf(slug)
    expect(key).toMatch(new RegExp(`^ww_${slug}_[0-9A-Za-z]{49}$`))
    const other = await makeKeyOf(slug, environmentId)
    for (const each of [{ key, row }, other]) {
      const prefix = `ww_${slug}_`
      expect(each.row.start.startsWith(prefix)).toBe(true)
      expect(each.row.start.length).toBeGreaterThanOrEqual(prefix.length + 4)
      expect(each.key.startsWith(each.row.start)).toBe(true)
      // At least 39 of the 43 random characters stay secret.
      expect(each.row.start.length).toBeLessThanOrEqual(Math.max(12, prefix.length + 4))
    }
    expect(other.row.start).not.toBe(row.start)
    const shown = await app.as(key).get('/v1/api-keys')
    expect(shown.body.apiKeys.map(({ start }: { start: string }) => start)).toEqual([row.start, other.row.start])
  },
)

test('a key that was stored with a start of slug alone still works, and so do all that share it', async () => {
  const slug = 'stored-before-the-upgrade'
  const { key, row, environmentId } = await makeKeyOf(slug)
  const second = await makeKeyOf(slug, environmentId)
  await sql`update api_keys set start = 'ww_stored-be' where id in (${row.id}, ${second.row.id})`.execute(platform.db)
  for (const [text, id] of [
    [key, row.id],
    [second.key, second.row.id],
  ] as const) {
    expect((await app.as(text).get('/v1/environments')).status).toBe(200)
    await app.as(text).patch('/v1/auth/settings', { session_idle_timeout_seconds: 3600 })
    const events = await app.events({ accountId: tenant.accountId })
    expect(events.at(-1)).toMatchObject({ actor_type: 'api_key', actor_id: id })
  }
})

test('the start names no key: another with the same one is not found by it', async () => {
  const { key, row, environmentId } = await makeKeyOf('borrowed')
  await makeKeyOf('borrowed', environmentId)
  const wrong = app.as(`${'x'.repeat(40)}-of-the-operator`)
  await platform.db
    .updateTable('api_keys')
    .set({ start: 'x'.repeat(12) })
    .where('id', '=', row.id)
    .execute()
  expect((await wrong.get('/v1/environments')).body.code).toBe('api_key_invalid')
  expect((await app.as(key).get('/v1/environments')).status).toBe(200)
})

test('the look-up of a key names its hash alone, by an index', async () => {
  const { key } = await makeKeyOf('by-hash')
  const texts = await recordStatements(() => app.as(key).get('/v1/environments'))
  const lookUps = texts.filter((text) => /"?key_hash"? = \$1/.test(text))
  expect(lookUps).toHaveLength(1)
  expect(texts.filter((text) => /"start" = /.test(text))).toEqual([])
  // Adds thousands of other keys.
  await sql`insert into api_keys (id, account_id, environment_id, name, start, key_hash, scopes, created_by)
    select gen_random_uuid(), ${tenant.accountId}, ${tenant.environmentId}, 'load', 'ww_live_load', sha256(n::text::bytea),
      '{}', 'test' from generate_series(1, 5000) n`.execute(platform.db)
  await sql`analyze api_keys`.execute(platform.db)
  const { rows } = await platform.database.pool.query({ text: `explain ${lookUps[0]}`, values: [Buffer.alloc(32)] })
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Scan using api_keys_key_hash_key')
})
