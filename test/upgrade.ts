import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { databasesPlace } from './databases-place.ts'
import { takePort } from './process/service.ts'

// Starts an earlier version on an empty directory, uses it, and starts this one on the same data: what was under way goes on.

const root = fileURLToPath(new URL('..', import.meta.url))
const NODE = join(root, 'node_modules/.bin/node')
const commit = process.argv[2]
if (commit === undefined || commit.startsWith('-')) {
  process.stdout.write(
    'Usage: node test/upgrade.ts <commit of an earlier version>. It installs that version in a temporary folder.\n',
  )
  process.exit(commit === undefined ? 2 : 0)
}

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: the replies of two versions
  body: any
}

interface Running {
  api(method: string, path: string, body?: object): Promise<Reply>
  /** The text of the newest mail to an address that matches. */
  mail(to: string, pattern: RegExp): Promise<string>
  stop(): Promise<void>
}

const place = mkdtempSync(join(databasesPlace(), 'watchword-upgrade-'))
execFileSync('chmod', ['755', place])
const dataDir = join(place, 'data')
const [port, metricsPort] = [await takePort(), await takePort()]
let key = ''

/** Starts the service of a folder, and waits until it is ready. */
async function start(folder: string): Promise<Running> {
  const child = spawn(NODE, ['src/main.js'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(port),
      WATCHWORD_METRICS_PORT: String(metricsPort),
      WATCHWORD_DATA_DIR: dataDir,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = once(child, 'close')
  const url = `http://localhost:${port}`
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`It ended: ${output}`)
    return (await fetch(`http://127.0.0.1:${metricsPort}/readyz`).catch(() => null))?.status === 200
  })
  key = /ww_live_\w+/.exec(output)?.[0] ?? key
  return {
    async api(method, path, body) {
      const response = await fetch(`${url}/v1${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return { status: response.status, body: await response.json().catch(() => null) }
    },
    mail: (to, pattern) =>
      until(async () => {
        const listed = await fetch(`${url}/dev/mail`, { headers: { accept: 'application/json' } })
        const { messages }: { messages: { to: string; text: string }[] } = JSON.parse(await listed.text())
        return messages.filter((each) => each.to.includes(to)).map(({ text }) => pattern.exec(text)?.[1])[0]
      }),
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (let left = 300; left > 0; left--) {
    const found = await look()
    if (found) return found
    await delay(200)
  }
  throw new Error('It did not happen in a minute')
}

const failures: string[] = []
function check(what: string, found: unknown, wanted: unknown): void {
  const passed = isDeepStrictEqual(found, wanted)
  process.stdout.write(`${passed ? 'ok  ' : 'FAIL'} ${what}\n`)
  if (!passed) failures.push(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`)
}

const CODE = /^([a-z]+ [a-z]+)$/m
const TOKEN = /token_hash=(\w+)/
const PASSWORD = 'three green lanterns 51'

/** What users have done and begun before the upgrade. */
async function use({ api, mail }: Running) {
  const subOrgId: string = (await api('POST', '/organizations', { name: 'Acme', slug: 'acme' })).body.subOrganization.id
  const add = async (email: string) => (await api('POST', '/users', { subOrgId, email })).body.user
  const emails = ['ada', 'eve', 'bob'].map((name) => `${name}@acme.example`)
  const users = []
  for (const email of emails) users.push(await add(email))
  const [ada = '', eve = '', bob = ''] = emails
  const sendCode = async (email: string) => {
    const { otp_id } = (await api('POST', '/auth/login/otp/send', { subOrgId, email })).body
    return { subOrgId, email, otp_id, code: await mail(email, CODE) }
  }
  const session = (await api('POST', '/auth/login/otp/verify', await sendCode(ada))).body.session
  await api('PUT', `/users/${users[1].id}/password`, { subOrgId, password: PASSWORD })
  await api('POST', '/rbac/roles', { subOrgId, slug: 'billing', name: 'Billing', permissions: [] })
  await api('POST', '/auth/login/magic-link/send', { subOrgId, email: bob })
  const token_hash = await mail(bob, TOKEN)
  const pending = await sendCode(eve)
  const invited = `new@acme.example`
  await api('POST', '/users/invites', { subOrgId, email: invited })
  return { subOrgId, session, bob, eve, pending, token_hash, invited, invitation: await mail(invited, TOKEN) }
}

/** What lists show, without what passes by. */
async function read({ api }: Running, subOrgId: string) {
  const { users } = (await api('GET', `/users?subOrgId=${subOrgId}`)).body
  const { customRoles: roles } = (await api('GET', `/rbac/roles?subOrgId=${subOrgId}`)).body
  const { events } = (await api('GET', '/events?limit=200')).body
  return {
    users: users.map(({ id, email, status }: Record<string, string>) => [id, email, status]),
    roles: roles.map(({ id }: Record<string, string>) => id),
    events: events.map(({ id, type }: Record<string, string>) => [id, type]),
  }
}

const earlier = join(place, 'earlier')
execFileSync('git', ['worktree', 'add', '--detach', earlier, commit], { cwd: root, stdio: 'ignore' })
try {
  execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: earlier, stdio: 'inherit' })
  const before = await start(earlier)
  const { subOrgId, session, bob, eve, pending, token_hash, invited, invitation } = await use(before)
  const seen = await read(before, subOrgId)
  await before.stop()

  const after = await start(root)
  check('lists and the feed show what they showed', await read(after, subOrgId), seen)
  const statusOf = async (path: string, body: object) => (await after.api('POST', path, body)).status
  check(
    'a session is refreshed',
    await statusOf('/auth/token/refresh', { subOrgId, refresh_token: session.refresh_token }),
    200,
  )
  check(
    'its access token is active',
    (await after.api('POST', '/auth/token/introspect', { token: session.access_token })).body.active,
    true,
  )
  check('a code that was sent before signs in', await statusOf('/auth/login/otp/verify', pending), 200)
  check('it does so once', await statusOf('/auth/login/otp/verify', pending), 401)
  check(
    'a link that was sent before signs in',
    await statusOf('/auth/login/magic-link/verify', { subOrgId, email: bob, token_hash }),
    200,
  )
  check(
    'a password signs in',
    await statusOf('/auth/login/password', { subOrgId, email: eve, password: PASSWORD }),
    200,
  )
  check(
    'an invitation is accepted',
    await statusOf('/auth/invite/accept', { token: invitation, password: PASSWORD }),
    200,
  )
  const { users } = (await after.api('GET', `/users?subOrgId=${subOrgId}&email=${invited}`)).body
  check('the invited user is active', users[0]?.status, 'active')
  const verify = spawnSync(NODE, ['src/cli.ts', 'audit', 'verify'], {
    cwd: root,
    env: { ...process.env, WATCHWORD_DATA_DIR: dataDir },
  })
  check('the audit log is verified', verify.status, 0)
  await after.stop()
  const again = await start(root)
  check('a second start finds the same', (await read(again, subOrgId)).users.length, seen.users.length)
  await again.stop()
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', earlier], { cwd: root })
  rmSync(place, { recursive: true, force: true })
}
for (const failure of failures) process.stderr.write(`${failure}\n`)
process.exitCode = failures.length > 0 ? 1 : 0
