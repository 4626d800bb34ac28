import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

// An OpenID provider that costs next to nothing beside the service: the code that it is given is the ID token, signed
// beforehand.
const keys = process.env['BENCH_JWKS'] ?? ''
let issuer = ''

const server = createServer((request, response) => {
  const reply = (body: string) => response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  if (request.url === '/jwks') return reply(keys)
  if (request.url !== '/token')
    return reply(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      }),
    )
  return void text(request).then((form) => {
    const id_token = new URLSearchParams(form).get('code')
    reply(JSON.stringify({ access_token: 'at', token_type: 'Bearer', expires_in: 300, id_token }))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  issuer = `http://127.0.0.1:${port}`
  console.log(port)
})
// Ends with the bench, however that ends.
process.stdin.resume().once('end', () => process.exit(0))
