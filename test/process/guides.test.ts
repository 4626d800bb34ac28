import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { administer } from '../database.ts'
import { blocksOf, differenceOf, itemsOf } from '../rules/guide-blocks.ts'
import { makeDirectory, productionSettings, startedOnce, startService } from './service.ts'

// Every block of bash in the guides, run as it is printed, in a service of development: what comes out is what is printed
// below the block.

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const { service, env } = await startedOnce(async () => {
  const { NODE_ENV, WATCHWORD_BASE_URL, ...settings } = await productionSettings()
  const started = await startService(settings)
  await started.ready()
  return { service: started, env: settings }
})

const address = service.baseUrl.replace('127.0.0.1', 'localhost')
const PRINTED = 'http://localhost:4000'

/** Feeds show what nobody under way in the cluster, here in the databases of other tests, can come before any more. */
const UNTIL_SHOWN = `do $$ begin
  while (select pg_snapshot_xmin(pg_current_snapshot()) <= max(tx_id) from events) loop perform pg_sleep(0.01); end loop;
end $$`
const readsFeed = (code: string) => /api GET "\/(events|sessions\/revocations)\b/.test(code)

/** What each block prints, and what bash complains of: the service is elsewhere, where WATCHWORD_URL says. */
async function run(codes: string[]) {
  const waiting = (code: string) => (readsFeed(code) ? 'echo >&3; read -r <&3\n' : '')
  const script = codes.map((code, at) => `${waiting(code)}${code}\nprintf '\\n@@ %s\\n' ${at}\n`).join('')
  const file = join(makeDirectory(), 'guide.sh')
  writeFileSync(file, script)
  const bash = spawn('bash', [file], {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const asked = bash.stdio[3] as Duplex
  asked.on('data', () => administer(env.DATABASE_URL, UNTIL_SHOWN).finally(() => asked.write('\n')))
  const text = { out: '', err: '' }
  bash.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text.out += part
  })
  bash.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text.err += part
  })
  await once(bash, 'close')
  const printed = text.out.replaceAll(address, PRINTED)
  return { outputs: printed.split(/\n@@ \d+\n/).slice(0, -1), complaints: text.err }
}

const functions = blocksOf(read('docs/index.md')).map(({ code }) => code)
// The tour defines the functions itself.
const TOUR = 'docs/start/tour.md'
const guides = globSync('docs/**/*.md', { cwd: root })
  .sort()
  .filter((file) => file !== 'docs/index.md' && blocksOf(read(file)).length > 0)

test.each(guides)('%s prints what its commands answer', async (file) => {
  const blocks = blocksOf(read(file))
  const key = `KEY=${env.WATCHWORD_BOOTSTRAP_API_KEY} WATCHWORD_URL=${address}`
  const before = file === TOUR ? [key] : [key, ...functions]
  const { outputs, complaints } = await run([...before, ...blocks.map(({ code }) => code)])
  // What the command line says beside its result.
  expect(complaints.replace(/^Key .* shown only once\.\n/m, '')).toBe('')
  const wrong = blocks.flatMap(({ code, printed }, at) => {
    const real = itemsOf(outputs[at + before.length] ?? '')
    const said = printed === null ? [] : itemsOf(printed)
    const difference = differenceOf({ lines: said.length, said }, { lines: real.length, said: real })
    return difference === null ? [] : [{ code, difference, real }]
  })
  expect(wrong).toEqual([])
})
