import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { decodeJwt, type JWTPayload } from 'jose'
import type { BrowserContext, Cookie } from 'playwright-core'
import { afterAll } from 'vitest'
import ofProject from '../../package.json' with { type: 'json' }
import { SealedCookie } from '../../packages/sdk/src/sealed-cookie.ts'
import { freshEmail } from '../fresh.ts'
import { type Tenant, type TestApp, until } from '../harness.ts'
import { untilWaiting } from '../in-order.ts'
import { signedInUser } from '../people/sign-in.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// The text of a program that runs in a process of its own.
const TELLING = `import { subscribe } from 'node:diagnostics_channel'
subscribe('http.server.request.start', ({ request }) => process.send(request.url))`

/** A program for another process: a clock that goes ahead with that of the service. `MOVED` says how far, in seconds. */
// Shared process: the text of a program that runs in a process of its own.
export const CLOCK = `const Real = Date
let ahead = Number(process.env.MOVED) * 1000
globalThis.Date = class extends Real {
  constructor(...given) { given.length ? super(...given) : super(Real.now() + ahead) }
  static now() { return Real.now() + ahead }
  // Next.js copies the class with its own members alone.
  static parse = Real.parse
  static UTC = Real.UTC
}
process.on('message', (seconds) => { ahead = seconds * 1000; process.send('moved') })`

const asImport = (program: string) => ['--import', `data:text/javascript,${encodeURIComponent(program)}`]

const running: ChildProcess[] = []

export interface Example {
  process: ChildProcess
  /** The requests that it got, and what else it said. */
  told: string[]
  /** How far its clock and that of the service have been moved, in seconds. */
  moved: number
}

/** Seals the cookies of every example that tests start. */
export const COOKIE_SECRET = 'a secret of at least 32 characters, for tests'

/**
 * Builds the client and starts an application of examples/, as its package.json does, and waits until it answers. It ends with the
 * tests of the file.
 */
export async function startExample(
  name: string,
  env: Record<string, string> & { PORT: string },
  moved = 0,
): Promise<Example> {
  await promisify(execFile)(process.execPath, ['tools/build-sdk.ts'], { cwd: root })
  const started = spawn(process.execPath, [...[TELLING, CLOCK].flatMap(asImport), 'server.ts'], {
    cwd: `${root}/examples/${name}`,
    env: { COOKIE_SECRET, MOVED: String(moved), ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  running.push(started)
  const told: string[] = []
  started.on('message', (said) => void told.push(String(said)))
  await until(() => fetch(`http://localhost:${env.PORT}`).catch(() => null))
  return { process: started, told, moved }
}

/** Ends what startExample has started when the tests of this file end. */
export function endExamples(): void {
  afterAll(() => running.splice(0).forEach((each) => void each.kill()))
}

/** Moves the clocks of the service and of the example. */
export async function advanceBoth(app: TestApp, example: Example, seconds: number): Promise<void> {
  example.moved += seconds
  await app.advance(seconds)
  example.process.send(example.moved)
  await until(async () => example.told.includes('moved'))
  example.told.length = 0
}

/** Holds the answer to any refresh of a session until the example was asked so often for a path. */
export function holdRefreshUntil(
  app: TestApp,
  { told }: Example,
  { sessionId, path, times }: { sessionId: unknown; path: string; times: number },
  ask: () => Promise<unknown>,
) {
  told.length = 0
  return app.app.platform.tx(async (tx) => {
    await tx.selectFrom('sessions').select('id').where('id', '=', String(sessionId)).forUpdate().execute()
    const answers = ask()
    await until(async () => told.filter((said) => said.startsWith(path)).length === times)
    await untilWaiting(app.app.platform, 1)
    return { answers }
  })
}

/** The issuer of the tokens of this account. */
export async function issuerOf(app: TestApp, tenant: Tenant): Promise<string> {
  const { session } = await signedInUser(app, tenant, await tenant.organization(), freshEmail())
  return decodeJwt(session.access_token).iss ?? ''
}

/** What the cookie of a session says. */
interface KeptSession {
  access: string
  refresh: string
  org: string | null
  until: number
}

const cookieOf = <T>(name: string, secret = COOKIE_SECRET) => new SealedCookie<T>({ name, secret, secure: false })

/** The value of a cookie as the example seals it, or as another secret does. */
export async function sealCookie(name: string, content: object, secret = COOKIE_SECRET): Promise<string> {
  const [pair = ''] = (await cookieOf<object>(name, secret).write(content, 7 * 86_400)).split(';')
  return pair.slice(`${name}=`.length)
}

/** What a cookie of the example says, or null. */
export async function openCookie<T>(name: string, value: string): Promise<T | null> {
  return cookieOf<T>(name).read({ headers: { cookie: `${name}=${value}` } })
}

export const cookiesOf = async (context: BrowserContext): Promise<Record<string, Cookie>> =>
  Object.fromEntries((await context.cookies()).map((cookie) => [cookie.name, cookie]))

/** The session of a browser: its tokens, and the claims of its access token. */
export async function sessionOf(
  context: BrowserContext,
): Promise<KeptSession & { claims: JWTPayload; cookie: Cookie }> {
  const { session: cookie } = await cookiesOf(context)
  const kept = cookie ? await openCookie<KeptSession>('session', cookie.value) : null
  if (!cookie || !kept) throw new Error('The browser is not signed in.')
  return { ...kept, claims: decodeJwt(kept.access), cookie }
}

/** Takes the access token out of a cookie, in the browser: the next request needs a refresh. */
export async function dropAccessToken(context: BrowserContext, from?: Cookie): Promise<void> {
  const cookie = from ?? (await sessionOf(context)).cookie
  const kept = await openCookie<KeptSession>('session', cookie.value)
  if (!kept) throw new Error('This is no cookie of a session.')
  await context.addCookies([{ ...cookie, value: await sealCookie('session', { ...kept, access: 'none' }) }])
}

/** The packages of an example that the tests do not run it with. */
export function untestedPackages(example: { dependencies: object; devDependencies: object }) {
  const tested = {
    ...ofProject.dependencies,
    ...ofProject.devDependencies,
    '@watchword/sdk': 'file:../../packages/sdk',
  }
  const wanted = Object.entries({ ...example.dependencies, ...example.devDependencies })
  return wanted.filter(([name, version]) => Object.entries(tested).every((one) => one.join() !== `${name},${version}`))
}
