import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../src/platform/db/embedded.ts'
import { migrate } from '../src/platform/db/migrate.ts'

declare module 'vitest' {
  interface ProvidedContext {
    serverUrl: string
    template: string
  }
}

/**
 * One PostgreSQL for the run, with a migrated template that each test file copies. `TEST_DATABASE_URL` names a server
 * of your own instead; its user must be allowed to create databases.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL']
  const dataDir = join(tmpdir(), `watchword-test-${randomUUID()}`, 'data')
  const embedded = given ? null : await startEmbedded({ dataDir, log: () => undefined })
  const serverUrl = given ?? embedded?.url ?? ''
  if (embedded) await forgoDurability(serverUrl)
  const template = `watchword_template_${randomUUID().slice(0, 8)}`
  await administer(serverUrl, `create database ${template}`)
  await migrate(databaseUrl(serverUrl, template))
  project.provide('serverUrl', serverUrl)
  project.provide('template', template)
  return async () => {
    await administer(serverUrl, `drop database if exists ${template} with (force)`)
    await embedded?.stop()
    if (embedded) reportCrashes(join(dataDir, 'postgres.log'))
    if (embedded) rmSync(join(dataDir, '..'), { recursive: true, force: true })
  }
}

/** A server that dies under the tests recovers and leaves refusals without a reason: says here what it died of. */
function reportCrashes(logFile: string): void {
  const lines = readFileSync(logFile, 'utf8').split('\n')
  const crashes = lines.filter((line) => /terminated by signal|PANIC|could not fork|No space left/.test(line))
  if (crashes.length > 0)
    process.stderr.write(['The PostgreSQL of the tests failed on the way:', ...crashes, ''].join('\n'))
}

/** What the tests write need not outlive the machine's power. Those that kill databases have databases of their own. */
async function forgoDurability(serverUrl: string): Promise<void> {
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit'])
    await administer(serverUrl, `alter system set ${setting} = off`)
  await administer(serverUrl, 'select pg_reload_conf()')
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  return serverUrl.replace(/^(\w+:\/\/[^/]*)\/[^?]*/, `$1/${name}`)
}

/** Runs one statement that no transaction may hold, such as making a database. */
export async function administer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
