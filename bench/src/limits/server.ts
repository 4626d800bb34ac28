import { createSecretKey } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { fastify } from 'fastify'
import { Pool } from 'pg'
import { newRequestId } from '../../../src/platform/ids.ts'
import { createMetrics } from '../../../src/platform/observability/metrics.ts'
import { COST, PASSWORD } from '../references/hash-cost.ts'
import { readCallers } from './callers.ts'
import { makeCodes } from './codes.ts'
import { Refusal } from './joined.ts'
import { makeKeyedHash } from './keyed-hash.ts'
import { challengeProof, firstCodeProof, knownCodeProof, linkProof } from './proofs.ts'
import { makeSessions } from './sessions.ts'
import { makeSignIn, type SignInBody } from './sign-in.ts'

// The least that the product's work demands, on its tables: what any Node service would have to do for it.
const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  // As the product: a plan made while a table was small would go on scanning it.
  options: '-c enable_seqscan=off -c jit=off',
})
const keyedHash = makeKeyedHash(process.env['LIMIT_HASH_KEY'] ?? '')
const callerOf = await readCallers(pool, keyedHash, process.env['LIMIT_API_KEY'] ?? '')
const codes = makeCodes(pool, keyedHash)
const seal = createSecretKey(process.env['LIMIT_SEAL_KEY'] ?? '', 'hex')
const signInByLink = makeSignIn(pool, keyedHash, seal, linkProof)
const sessions = makeSessions(pool, keyedHash)

const text = { type: 'string' }
const integer = { type: 'integer' }

/** Bodies have these members, answers those: all of them text unless said otherwise. */
function schema(body: string[], answer: Record<string, object>) {
  const properties = Object.fromEntries(body.map((name) => [name, text]))
  return {
    body: { type: 'object', additionalProperties: false, required: body, properties },
    response: { 200: { type: 'object', properties: answer } },
  }
}

const tokens = {
  session: {
    type: 'object',
    properties: {
      access_token: text,
      refresh_token: text,
      expires_in: integer,
      user_id: text,
      directory_user_id: text,
    },
  },
}
const introspection = {
  ...Object.fromEntries(
    ['token_type', 'iss', 'sub', 'aud', 'sid', 'org_id', 'username', 'user_id', 'directory_user_id', 'role', 'aal'].map(
      (name) => [name, text],
    ),
  ),
  active: { type: 'boolean' },
  exp: integer,
  iat: integer,
  amr: { type: 'array', items: text },
  auth_time: integer,
  env: text,
}
const code = { otp_id: text, code: text, session_id: { type: 'string', nullable: true }, expires_at: text }

// What every answer of the product has, whatever its route: the headers of the contract, and a place in the metrics.
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
const { observeRequest } = createMetrics()

const app = fastify({ genReqId: () => newRequestId() })
app.addHook('onRequest', (request, reply, done) => {
  reply.headers(HEADERS).header('x-request-id', request.id)
  done()
})
app.addHook('onResponse', (request, reply, done) => {
  observeRequest(request.method, request.routeOptions.url ?? '', reply.statusCode, reply.elapsedTime)
  done()
})
app.post('/otp/generate', { schema: schema([], code) }, async ({ headers }) =>
  codes.generate(callerOf(headers).directory),
)
app.post<{ Body: { otp_id: string; code: string } }>(
  '/otp/validate',
  { schema: schema(['otp_id', 'code'], { valid: { type: 'boolean' }, message: text }) },
  async ({ headers, body }) => codes.validate(callerOf(headers).directory, body),
)
for (const proof of [linkProof, knownCodeProof, firstCodeProof, challengeProof]) {
  const signIn = makeSignIn(pool, keyedHash, seal, proof)
  app.post<{ Body: SignInBody }>(
    `/sign-in/${proof.name}`,
    { schema: schema(proof.body, tokens) },
    async ({ headers, body }) => signIn(callerOf(headers), body),
  )
}
const stored = await hash(PASSWORD, COST)
app.post<{ Body: SignInBody & { password: string } }>(
  '/password',
  { schema: schema([...linkProof.body, 'password'], tokens) },
  async ({ headers, body }) => {
    if (!(await verify(stored, body.password))) throw new Refusal(401, 'Another password')
    return signInByLink(callerOf(headers), body)
  },
)
app.post<{ Body: { token: string; subOrgId: string } }>(
  '/introspect',
  { schema: schema(['token', 'subOrgId'], introspection) },
  async ({ headers, body }) => sessions.introspect(callerOf(headers), body),
)
app.post<{ Body: { refresh_token: string; subOrgId: string } }>(
  '/refresh',
  { schema: schema(['refresh_token', 'subOrgId'], tokens) },
  async ({ headers, body }) => sessions.refresh(callerOf(headers), body),
)
console.log(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
// Ends with the bench, however that ends.
process.stdin.resume().once('end', () => process.exit(0))
