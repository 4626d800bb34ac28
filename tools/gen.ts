import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { migrate } from '../src/platform/db/migrate.ts'
import { startEmbedded } from '../src/platform/embedded/embedded.ts'
import type { OpenApiPart } from '../src/platform/openapi/openapi.ts'
import { textsModule } from './gen-texts.ts'
import { emitSdk } from './sdk/emit.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)

type Generators = Record<string, (outFile: string) => Promise<void>>

/** The generated module of texts. The service, which the other generators load, does not load with another one. */
const textGenerators: Generators = {
  'src/platform/messages/texts.gen.ts': async (outFile) =>
    writeFileSync(outFile, textsModule(new URL('../locales/en.json', import.meta.url))),
}

/** The modules of the SDK, from `openapi.json`, which the generators before have written. */
const sdkGenerators: Generators = Object.fromEntries(
  (['schemas.gen.ts', 'errors.gen.ts', 'client.gen.ts'] as const).map((name) => [
    `packages/sdk/src/gen/${name}`,
    async (outFile) => writeFileSync(outFile, emitSdk(readFileSync(join(root, 'openapi.json'), 'utf8'))[name]),
  ]),
)

/** The other generated files of the project, each with what makes its text. */
const generators: Generators = {
  'src/platform/db/schema.gen.ts': generateSchema,
  'openapi.json': (outFile) => generateOpenApi(outFile, 'api'),
  'openapi.scim.json': (outFile) => generateOpenApi(outFile, 'scim'),
  'docs/reference/errors.md': generateErrors,
  'docs/reference/events.md': generateEvents,
}

async function generateErrors(outFile: string): Promise<void> {
  const { errorsMarkdown } = await import('../src/features/front/docs/error-catalogue.ts')
  const { routes } = await import('../src/wiring/routes.ts')
  writeFileSync(outFile, errorsMarkdown(routes))
}

async function generateEvents(outFile: string): Promise<void> {
  const { eventsMarkdown } = await import('../src/features/front/docs/event-catalogue.ts')
  // Loads all features, which define the events.
  await import('../src/wiring/routes.ts')
  writeFileSync(outFile, eventsMarkdown())
}

/** Row types, from what the migrations make of an empty database. */
async function generateSchema(outFile: string): Promise<void> {
  // Not below it: for root, a closed directory above the data puts the data elsewhere, where nothing removes it.
  const dataDir = mkdtempSync(join(tmpdir(), 'watchword-gen-'))
  const database = await startEmbedded({ dataDir, log: () => undefined })
  try {
    await migrate(database.url)
    const tables = [
      '--default-schema',
      'public',
      '--include-pattern',
      'public.*',
      '--exclude-pattern',
      '*schema_migrations',
    ]
    await runCommand('kysely-codegen', [
      '--dialect',
      'postgres',
      '--url',
      database.url,
      ...tables,
      '--out-file',
      outFile,
    ])
  } finally {
    await database.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The API's description, from the route table. */
async function generateOpenApi(outFile: string, part: OpenApiPart): Promise<void> {
  await run(process.execPath, ['src/cli.ts', 'openapi', '--part', part, '--out', outFile], { cwd: root })
}

async function runCommand(name: string, args: string[]): Promise<void> {
  await run(process.execPath, [join(root, 'node_modules', '.bin', name), ...args], { cwd: root })
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const made = mkdtempSync(join(tmpdir(), 'watchword-gen-'))
const stale: string[] = []
await runGenerators(textGenerators)
if (!values.check || stale.length === 0) await runGenerators(generators)
if (!values.check || stale.length === 0) await runGenerators(sdkGenerators)
rmSync(made, { recursive: true, force: true })
if (values.check && stale.length > 0) {
  console.error(`Out of date: ${stale.join(', ')}. Run \`npm run gen\` and commit the result.`)
  process.exit(1)
}
console.log(stale.length > 0 ? `Wrote ${stale.join(', ')}.` : 'The generated files are up to date.')

async function runGenerators(those: Generators): Promise<void> {
  await Promise.all(
    Object.entries(those).map(async ([path, generate]) => {
      const outFile = join(made, path.replaceAll('/', '-'))
      await generate(outFile)
      const text = readFileSync(outFile, 'utf8')
      const target = join(root, path)
      if (readFile(target) === text) return
      stale.push(path)
      if (!values.check) writeFileSync(target, text)
    }),
  )
}

function readFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
