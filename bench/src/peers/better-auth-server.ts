import { createServer } from 'node:http'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { emailOTP, magicLink } from 'better-auth/plugins'
import { Pool } from 'pg'

// As its documentation sets it up for node:http and PostgreSQL, with what would only slow it (rate limits,
// telemetry, logs) off, and codes and links kept instead of mailed.
const [codes, links] = [new Map<string, string>(), new Map<string, string>()]
const options = {
  baseURL: 'http://127.0.0.1',
  secret: 'bench-secret-bench-secret-bench-secret',
  database: new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 }),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
  plugins: [
    emailOTP({
      sendVerificationOTP: async ({ email, otp }) => {
        codes.set(email, otp)
      },
    }),
    magicLink({
      sendMagicLink: async ({ email, token }) => {
        links.set(email, token)
      },
    }),
  ],
}
const migrations = await getMigrations(options)
await migrations.runMigrations()
const handle = toNodeHandler(betterAuth(options))

const server = createServer((request, response) => {
  const kept = request.url === '/codes' ? codes : request.url === '/links' ? links : null
  if (!kept) {
    void handle(request, response)
    return
  }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Object.fromEntries(kept)))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : '')
})
// Ends with the bench, however that ends.
process.stdin.resume().once('end', () => process.exit(0))
