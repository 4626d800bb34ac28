import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../src/platform/db/migrate.ts'
import { startEmbedded } from '../src/platform/embedded/embedded.ts'
import { databasesPlace } from './databases-place.ts'
import { bundlePrograms } from './programs.ts'
import { runDirectory } from './run-directories.ts'

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
  const dataDir = join(runDirectory(databasesPlace()), 'data')
  const [embedded] = await Promise.all([
    given ? null : startForTests(dataDir),
    // What is run again has changed since: from its source.
    compileService().then(() => (project.config.watch ? undefined : bundlePrograms())),
  ])
  const serverUrl = given ?? embedded?.url ?? ''
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

/**
 * Fills the cache of compiled code (vitest.config.ts) where there is none yet, after an installation, on the core that making the database leaves idle:
 * each of the processes that begin together would compile all of it by itself. What does not load is left to the tests that load it.
 */
async function compileService(): Promise<void> {
  if (existsSync(process.env['NODE_COMPILE_CACHE'] ?? '')) return
  const service = new URL('../src/wiring/app.ts', import.meta.url).href
  await promisify(execFile)(process.execPath, ['-e', `import(${JSON.stringify(service)})`]).catch(() => undefined)
}

/** A server that dies under the tests recovers and leaves refusals without a reason: says here what it died of. */
function reportCrashes(logFile: string): void {
  const lines = readFileSync(logFile, 'utf8').split('\n')
  const crashes = lines.filter((line) =>
    /terminated by signal|PANIC|could not fork|No space left|too many clients/.test(line),
  )
  if (crashes.length > 0)
    process.stderr.write(['The PostgreSQL of the tests failed on the way:', ...crashes, ''].join('\n'))
}

/**
 * What the tests write need not outlive the machine's power; those that kill databases have databases of their own. Files
 * that run side by side start several services each, which together want more connections than a deployment has.
 */
export async function startForTests(dataDir: string) {
  const first = await startEmbedded({ dataDir, log: () => undefined })
  // Nor does a database of a few seconds need its tables vacuumed; a test that asks for plans analyzes the tables itself.
  for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum'])
    await administer(first.url, `alter system set ${setting} = off`)
  await administer(first.url, 'alter system set max_connections = 400')
  await first.stop()
  // Only its own user reaches the socket. To prove the password thousands of times keeps both sides busy.
  writeFileSync(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\nhost all all localhost scram-sha-256\n')
  return startEmbedded({ dataDir, log: () => undefined })
}

/** The address of another database on the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  return serverUrl.replace(/^(\w+:\/\/[^/]*)\/[^?]*/, `$1/${name}`)
}

/**
 * Makes a database that is a copy of the migrated template. Its files are copied: to write every block of them into the log,
 * which is what PostgreSQL does unless told, costs seven times as much, and half of a small test file.
 */
export async function copyTemplate(serverUrl: string, template: string, name: string): Promise<void> {
  await administer(serverUrl, `create database ${name} template ${template} strategy file_copy`)
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
