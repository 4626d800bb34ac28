import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { Webhook } from 'standardwebhooks'
import { afterAll, expect, test } from 'vitest'
import { payloadOf, signedInBySdk } from '../../packages/sdk/test/signed-in.ts'
import { freshEmail } from '../fresh.ts'
import { startApp, until } from '../harness.ts'
import { takePort } from '../process/service.ts'

// The packed client in workerd, the runtime of Cloudflare Workers, against the running service.

const root = fileURLToPath(new URL('../..', import.meta.url))
const here = join(root, 'test/longer/workerd')
const place = mkdtempSync(join(tmpdir(), 'watchword-workerd-'))
const npm = (cwd: string, ...args: string[]) => execFileSync('npm', args, { cwd, encoding: 'utf8' })

const app = await startApp()
const tenant = await app.tenant()
const { session: some } = await signedInBySdk(app, tenant)
const { iss, aud } = payloadOf(some.access_token)
const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const secret = 'a secret of at least 32 characters, for tests'
const options = { url: app.baseUrl, apiKey: tenant.key, issuer: iss, audience: aud, secret, webhookSecret }
const port = await takePort()

// It needs no script of its package: those would only move its binary.
npm(here, 'ci', '--ignore-scripts', '--loglevel=error')
await bundleWorker()
const text: string[] = []
const running = spawn(process.execPath, [join(here, 'node_modules/workerd/bin/workerd'), 'serve', writeConfig()], {
  cwd: place,
  stdio: ['ignore', 'pipe', 'pipe'],
})
for (const stream of [running.stdout, running.stderr]) stream.on('data', (part) => void text.push(String(part)))
afterAll(() => {
  running.kill()
  rmSync(place, { recursive: true })
})
const send = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
await until(() => send('/').catch(() => null)).catch((error: unknown) => {
  throw new Error(text.join(''), { cause: error })
})

/** Puts the installed package and Hono into one file. */
async function bundleWorker(): Promise<void> {
  execFileSync(process.execPath, ['tools/build-sdk.ts'], { cwd: root })
  npm(root, 'pack', '--silent', '--workspace', 'packages/sdk', '--pack-destination', place)
  const { version } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'))
  writeFileSync(join(place, 'package.json'), '{"private":true,"type":"module"}')
  npm(place, 'install', '--no-save', '--loglevel=error', `./watchword-sdk-${version}.tgz`)
  symlinkSync(join(root, 'node_modules/hono'), join(place, 'node_modules/hono'))
  writeFileSync(join(place, 'worker.js'), readFileSync(join(here, 'worker.txt')))
  const bundle = await rolldown({
    input: join(place, 'worker.js'),
    cwd: place,
    platform: 'neutral',
    resolve: { conditionNames: ['workerd', 'worker', 'import', 'default'] },
  })
  await bundle.write({ file: join(place, 'bundled.js'), format: 'esm' })
  await bundle.close()
}

function writeConfig(): string {
  const path = join(place, 'config.capnp')
  writeFileSync(
    path,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "network", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundled.js")],
  bindings = [(name = "OPTIONS", text = ${JSON.stringify(JSON.stringify(options))})],
  compatibilityDate = "2026-10-01",
  globalOutbound = "network",
);
`,
  )
  return path
}

async function advance(seconds: number) {
  await app.advance(seconds)
  await send('/advance', { method: 'POST', body: String(seconds) })
}

/** The cookie of a new session. */
async function signedIn() {
  const { email, session } = await signedInBySdk(app, tenant)
  const started = await send('/start', { method: 'POST', body: JSON.stringify(session) })
  const [cookie = ''] = started.headers.getSetCookie()[0]?.split(';') ?? []
  expect(cookie, text.join('')).not.toBe('')
  return { email, session, cookie }
}

test('the client calls the service, and its errors narrow', async () => {
  const subOrgId = await tenant.organization()
  const emails = Array.from({ length: 3 }, (_, at) => freshEmail(`row${at}`))
  const reply = await send('/client', { method: 'POST', body: JSON.stringify({ subOrgId, emails }) })
  expect(await reply.json(), text.join('')).toEqual({ listed: emails, refused: 'email_exists' })
})

test('tokens are verified, and those of ended sessions refused', async () => {
  const { email, session, user, subOrgId } = await signedInBySdk(app, tenant)
  const verify = async (token: string) => (await send('/tokens', { method: 'POST', body: token })).json()
  expect(await verify(session.access_token)).toMatchObject({ email })
  expect(await Promise.all(Array.from({ length: 5 }, () => verify(session.access_token)))).toMatchObject(
    Array(5).fill({ email }),
  )
  expect(await verify(`${session.access_token}x`)).toEqual({ refused: 'token_invalid' })
  await tenant.delete(`/v1/users/${user.id}/sessions?subOrgId=${subOrgId}`)
  await advance(30)
  expect(await verify(session.access_token)).toEqual({ refused: 'token_revoked' })
})

test('simultaneous requests with an expired session are all answered, and one session stays', async () => {
  const { email, session, cookie } = await signedIn()
  await advance(session.expires_in + 10)
  const replies = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const reply = await send('/api/who', { headers: { cookie } })
      return { status: reply.status, body: await reply.text(), cookies: reply.headers.getSetCookie() }
    }),
  )
  expect(
    replies.map(({ status, body }) => [status, body]),
    text.join(''),
  ).toEqual(Array(10).fill([200, JSON.stringify({ email })]))
  for (const { cookies } of replies) {
    const [renewed = ''] = cookies[0]?.split(';') ?? []
    const me = await send('/api/me', { headers: { cookie: renewed } })
    expect([me.status, me.headers.getSetCookie()]).toEqual([200, []])
  }
  const [renewed = ''] = replies[0]?.cookies[0]?.split(';') ?? []
  const ended = await send('/api/end', { method: 'POST', headers: { cookie: renewed, origin: 'https://app.test' } })
  expect(await ended.json()).toEqual({ error: null })
  expect((await send('/api/me', { headers: { cookie: renewed } })).status).not.toBe(200)
})

test('a change from another site and a request without a session are refused', async () => {
  const { cookie } = await signedIn()
  const forged = await send('/api/who', { method: 'POST', headers: { cookie, origin: 'https://evil.test' } })
  expect([forged.status, (await send('/api/who')).status]).toEqual([403, 401])
})

test('a genuine delivery is taken, and a forged one refused', async () => {
  const deliver = (by: string) => {
    const [at, body] = [new Date(), '{"type":"user.created"}']
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign('evt_1', at, body),
    }
    return send('/webhooks', { method: 'POST', headers, body })
  }
  expect((await deliver(webhookSecret)).status).toBe(204)
  expect((await deliver(`whsec_${Buffer.alloc(32, 8).toString('base64')}`)).status).toBe(400)
})
