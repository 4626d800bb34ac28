import { type Bench, type Measurement, measureLoad, oncePerRun, type Row } from '../bench.ts'
import { readMember } from '../json-field.ts'
import { describeFailures, type LoadPlan, type LoadRequest, runLoad } from '../load.ts'
import { getPostgres, query } from '../postgres.ts'

const USER_COUNT = 2000
const PASSWORD = 'correct horse battery staple'
const PASSWORD_EMAIL = 'password@example.com'
const PUBLIC_ORIGIN = 'http://127.0.0.1'
const server = new URL('./better-auth-server.ts', import.meta.url)

/** better-auth on node:http and the same PostgreSQL. */
export const betterAuthRows: Row[] = [
  peer('better-auth-otp-send', 'better-auth: OTP send, no mail', (bench) =>
    measurePeer(bench, { requests: emails().map(sendRequest) }),
  ),
  peer('better-auth-otp-verify', 'better-auth: OTP sign-in', measureVerify),
  peer('better-auth-link-verify', 'better-auth: magic-link sign-in', measureLink),
  peer('better-auth-session', 'better-auth: session read', async (bench) => {
    const { cookie } = await prepare(bench)
    const expect = PASSWORD_EMAIL
    return await measurePeer(bench, { requests: [get('/api/auth/get-session')], headers: { cookie }, expect })
  }),
  peer('better-auth-password', 'better-auth: password login (its scrypt)', (bench) =>
    measurePeer(bench, {
      requests: [post('/api/auth/sign-in/email', { email: PASSWORD_EMAIL, password: PASSWORD })],
      // Each login holds a core: more callers only lengthen the queue beyond one measurement.
      connections: 4,
    }),
  ),
]

function peer(id: string, title: string, measure: Row['measure']): Row {
  return { id, title, kind: 'peer', unit: '/s', targets: [], measure }
}

function emails(): string[] {
  return Array.from({ length: USER_COUNT }, (_, n) => `user${n}@example.com`)
}

function post(path: string, body: unknown): LoadRequest {
  return { method: 'POST', path, body: JSON.stringify(body) }
}

function get(path: string): LoadRequest {
  return { method: 'GET', path }
}

function sendRequest(email: string): LoadRequest {
  return post('/api/auth/email-otp/send-verification-otp', { email, type: 'sign-in' })
}

/** The server with its users, and the cookie of one session. */
const prepare = oncePerRun(async (bench) => {
  const postgres = await getPostgres(bench)
  const url = await postgres.createDatabase('better_auth')
  const { baseUrl } = await bench.server(server, { DATABASE_URL: url })
  await query(
    url,
    `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
     select 'user' || n, 'User ' || n, 'user' || n || '@example.com', true, now(), now()
     from generate_series(0, $1::int - 1) n`,
    [USER_COUNT],
  )
  const answer = await fetch(`${baseUrl}/api/auth/sign-up/email`, {
    method: 'POST',
    // Node's fetch says it is a browser of sorts, from which better-auth wants an origin.
    headers: { 'content-type': 'application/json', origin: PUBLIC_ORIGIN },
    body: JSON.stringify({ name: 'Password', email: PASSWORD_EMAIL, password: PASSWORD }),
  })
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0])
  if (!answer.ok || cookie.length === 0) throw new Error(`better-auth sign-up: ${answer.status} ${await answer.text()}`)
  return { baseUrl, cookie: cookie.join('; ') }
})

async function measurePeer(bench: Bench, plan: Partial<LoadPlan> & { requests: LoadRequest[] }): Promise<Measurement> {
  const { baseUrl } = await prepare(bench)
  return await measureLoad(bench, { baseUrl, ...plan })
}

async function measureVerify(bench: Bench): Promise<Measurement> {
  const codes = await readSent(bench, '/codes', sendRequest)
  const requests = emails().map((email) =>
    post('/api/auth/sign-in/email-otp', { email, otp: readMember(codes, email) }),
  )
  return await measurePeer(bench, { requests, mode: 'once', expect: '"token"' })
}

async function measureLink(bench: Bench): Promise<Measurement> {
  const tokens = await readSent(bench, '/links', (email) => post('/api/auth/sign-in/magic-link', { email }))
  const requests = emails().map((email) => get(`/api/auth/magic-link/verify?token=${readMember(tokens, email)}`))
  return await measurePeer(bench, { requests, mode: 'once', expect: '"token"' })
}

/** Sends something to every user; returns by address what the server kept at `path` instead of mailing it. */
async function readSent(bench: Bench, path: string, send: (email: string) => LoadRequest): Promise<unknown> {
  const { baseUrl } = await prepare(bench)
  const sent = await runLoad({
    baseUrl,
    headers: {},
    requests: emails().map(send),
    mode: 'once',
    connections: bench.connections,
    seconds: 60,
  })
  if (describeFailures(sent).length > 0) throw new Error(describeFailures(sent).join())
  return await (await fetch(baseUrl + path)).json()
}
