import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { Webhook } from 'standardwebhooks'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import manifest from '../package.json' with { type: 'json' }
import { payloadOf, signedInBySdk } from './signed-in.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const sdk = join(root, 'packages/sdk')
const place = mkdtempSync(join(tmpdir(), 'watchword-sdk-'))
afterAll(() => rmSync(place, { recursive: true }))

await run(process.execPath, ['tools/build-sdk.ts'], { cwd: root })
const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', place], { cwd: sdk })
const [packed]: [{ filename: string; files: { path: string }[] }] = JSON.parse(stdout)

const app = await startApp()
const tenant = await app.tenant()

/** A project that has installed the package, of modules or of CommonJS. */
function project(type: 'module' | 'commonjs'): string {
  const dir = join(place, type)
  for (const { path } of packed.files) {
    const target = join(dir, 'node_modules/@watchword/sdk', path)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(sdk, path), target)
  }
  symlinkSync(join(root, 'node_modules/jose'), join(dir, 'node_modules/jose'))
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type }))
  return dir
}
const projects = { module: project('module'), commonjs: project('commonjs') }

const IMPORTS = [
  ['Watchword, WatchwordError', '@watchword/sdk'],
  ['verifyWebhook, WebhookError', '@watchword/sdk/webhooks'],
  ['TokenError, TokenVerifier', '@watchword/sdk/tokens'],
  ['Sessions', '@watchword/sdk/sessions'],
  ['requireSession as forExpress', '@watchword/sdk/express'],
  ['requireSession as forFastify', '@watchword/sdk/fastify'],
  ['requireSession as forHono', '@watchword/sdk/hono'],
  ['nextSessions', '@watchword/sdk/next'],
  ['withSession', '@watchword/sdk/fetch'],
] as const

/** The Node that runs this, and that of the machine if it is another. */
async function findNodes(): Promise<string[]> {
  const path = (process.env['PATH'] ?? '').split(':').filter((dir) => !dir.includes('node_modules'))
  const env = { ...process.env, PATH: path.join(':') }
  const other = await run('node', ['-p', 'process.execPath'], { env }).catch(() => null)
  const found = other?.stdout.trim()
  return found && found !== process.execPath ? [process.execPath, found] : [process.execPath]
}
const nodes = await findNodes()

async function delivery() {
  const { email, session } = await signedInBySdk(app, tenant)
  const { iss } = payloadOf(session.access_token)
  const [secret, body, now] = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`, '{"type":"user.created"}', new Date()]
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', now, body),
  }
  return JSON.stringify({ body, headers, secret, session, email, issuer: iss })
}

describe.each(nodes)('the packed package under %s', (node) => {
  test.each(['module', 'commonjs'] as const)('works in a project of type %s', async (type) => {
    const dir = projects[type]
    const imports = IMPORTS.map(([names, from]) =>
      type === 'module'
        ? `import { ${names} } from '${from}'`
        : `const { ${names.replace(' as ', ': ')} } = require('${from}')`,
    )
    const program = readFileSync(join(sdk, 'test/consumer/program.txt'), 'utf8')
    writeFileSync(join(dir, 'program.js'), `${imports.join('\n')}\n${program}`)
    const found = await run(node, ['program.js', app.baseUrl, tenant.key, await delivery()], { cwd: dir })
    expect(JSON.parse(found.stdout)).toEqual({
      node: expect.stringMatching(/^v\d+$/),
      listed: true,
      error: [true, 'email_exists'],
      event: 'user.created',
      forged: [true, 'signature_invalid'],
      claims: true,
      bad: [true, 'token_invalid'],
      handlers: ['function', 'function', 'function', 'function', 'function'],
    })
  })
})

test.each(['module', 'commonjs'] as const)('its types suit a project of type %s', async (type) => {
  const dir = projects[type]
  const use = `const watchword: Watchword = new Watchword({ url: 'https://x.test' })
export const email = watchword.users.get('id').then(({ user }) => user.email.length)
export const all = [verifyWebhook, WebhookError, TokenError, TokenVerifier, Sessions, WatchwordError]
export const handlers = [forExpress, forFastify, forHono, nextSessions, withSession]\n`
  const imports = IMPORTS.map(([names, from]) => `import { ${names} } from '${from}'\n`).join('')
  writeFileSync(join(dir, 'use.ts'), imports + use)
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] }
  const lib = ['es2023', 'dom', 'dom.iterable']
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, lib }, files: ['use.ts'] }),
  )
  const found = await run(join(root, 'node_modules/.bin/tsc'), ['-p', dir]).catch((error: unknown) => Object(error))
  expect(found.stdout).toBe('')
})

test('its types suit older compilers, which know keys of a class as `unique symbol` only', () => {
  const declarations = packed.files.map(({ path }) => path).filter((path) => path.endsWith('.d.ts'))
  const consts = declarations.flatMap(
    (path) => readFileSync(join(sdk, path), 'utf8').match(/const \w+: .*symbol;/g) ?? [],
  )
  expect(consts.length).toBeGreaterThan(10)
  expect(consts.filter((one) => !one.endsWith(': unique symbol;'))).toEqual([])
})

test('publint and arethetypeswrong find nothing', async () => {
  const file = readFileSync(join(place, packed.filename))
  const tarball = file.buffer.slice(file.byteOffset, file.byteOffset + file.length)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  const check = join(sdk, 'test/consumer/check-types.ts')
  const analysis = await run(process.execPath, [check, join(place, packed.filename)])
  expect(JSON.parse(analysis.stdout)).toEqual({ types: { kind: 'included' }, problems: [] })
})

test('the whole client has at most 30 KB compressed, and one dependency', () => {
  const modules = packed.files.map(({ path }) => path).filter((path) => /^dist\/esm\/[^/]+\.js$/.test(path))
  expect(modules.length).toBeGreaterThan(3)
  const text = modules.map((path) => readFileSync(join(sdk, path), 'utf8')).join('')
  expect(gzipSync(text).length).toBeLessThan(30_000)
  expect(Object.keys(manifest.dependencies)).toEqual(['jose'])
})
