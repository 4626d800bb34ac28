import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * A program of its own: a hostile OpenID provider, which keeps every form that is posted to it, of token requests above all.
 * Its documents are at whatever address they are asked for. It answers each message with what it has got.
 */
const received: Record<string, string>[] = []
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    if (request.method === 'POST')
      received.push(Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())))
    const issuer = origin + path.replace('/.well-known/openid-configuration', '')
    const body = path.endsWith('/.well-known/openid-configuration') ? discovery(issuer) : { error: 'invalid_grant' }
    response.writeHead('error' in body ? 400 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`

function discovery(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/jwks`,
    id_token_signing_alg_values_supported: ['RS256'],
  }
}

process.on('message', () => process.send?.(received))
process.on('disconnect', () => process.exit())
process.send?.(origin)
