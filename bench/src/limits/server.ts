import { hash, verify } from '@node-rs/argon2'
import { fastify } from 'fastify'
import { Pool } from 'pg'
import { COST, PASSWORD } from '../references/hash-cost.ts'
import { readCallers } from './callers.ts'
import { makeCodes } from './codes.ts'
import { Refusal } from './joined.ts'
import { makeKeyedHash } from './keyed-hash.ts'
import { makeSessions } from './sessions.ts'
import { makeSignIn } from './sign-in.ts'

// The least that the product's work demands, on its tables: what any Node service would have to do for it.
const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  // As the product: a plan made while a table was small would go on scanning it.
  options: '-c enable_seqscan=off -c jit=off',
})
const keyedHash = makeKeyedHash(process.env['LIMIT_HASH_KEY'] ?? '')
const callerOf = await readCallers(pool, keyedHash, process.env['LIMIT_API_KEY'] ?? '')
const codes = makeCodes(pool, keyedHash)
const signIn = makeSignIn(pool, keyedHash)
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

const app = fastify()
app.post('/otp/generate', { schema: schema([], code) }, async ({ headers }) =>
  codes.generate(callerOf(headers).directory),
)
app.post<{ Body: { otp_id: string; code: string } }>(
  '/otp/validate',
  { schema: schema(['otp_id', 'code'], { valid: { type: 'boolean' }, message: text }) },
  async ({ headers, body }) => codes.validate(callerOf(headers).directory, body),
)
app.post<{ Body: { email: string; token_hash: string; subOrgId: string } }>(
  '/sign-in',
  { schema: schema(['email', 'token_hash', 'subOrgId'], tokens) },
  async ({ headers, body }) => signIn(callerOf(headers), body),
)
const stored = await hash(PASSWORD, COST)
app.post<{ Body: { email: string; token_hash: string; subOrgId: string; password: string } }>(
  '/password',
  { schema: schema(['email', 'token_hash', 'subOrgId', 'password'], tokens) },
  async ({ headers, body }) => {
    if (!(await verify(stored, body.password))) throw new Refusal(401, 'Another password')
    return signIn(callerOf(headers), body)
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
