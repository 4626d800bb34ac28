import { fastify } from 'fastify'

// The ceiling: the same framework with a body, a schema and an answer of the size the product sends, and nothing
// behind it.
const body = {
  type: 'object',
  additionalProperties: false,
  required: ['code'],
  properties: { code: { type: 'string' }, otp_id: { type: 'string' } },
}
const reply = {
  200: {
    type: 'object',
    properties: { valid: { type: 'boolean' }, otp_id: { type: 'string' }, expires_at: { type: 'string' } },
  },
}
const answer = { valid: true, otp_id: '01999999-0000-7000-8000-000000000000', expires_at: '2026-01-01T00:00:00.000Z' }

const app = fastify()
app.post('/post', { schema: { body, response: reply } }, async () => answer)
app.get('/get', { schema: { response: reply } }, async () => answer)
console.log(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
// Ends with the bench, however that ends.
process.stdin.resume().once('end', () => process.exit(0))
