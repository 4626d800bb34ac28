import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterAll } from 'vitest'
import { signJws } from '../../src/platform/crypto/jws.ts'

type Json = Record<string, unknown>

/** A request to the peer. */
export interface Asked {
  method: string
  path: string
  form: Record<string, string>
  headers: IncomingMessage['headers']
}

/** What a sign-in at the peer is answered with. */
interface Grant {
  clientId: string
  redirectUri: string
  challenge: string
  nonce: string | null
  claims: Json
}

/** How the peer misbehaves, or what it says instead: tests change it, and `calm` undoes it. */
export interface Behaviour {
  /** Refuses connections, or never answers, on paths that match. */
  down: RegExp | null
  silent: RegExp | null
  status: { path: RegExp; code: number } | null
  discovery: (document: Json) => Json
  /** Of the ID token. */
  claims: (claims: Json) => Json
  /** The whole token, instead of one that is signed with the current key. */
  token: ((claims: Json) => string) | null
  keys: (keys: Json[]) => Json[]
  userinfo: Json | null
  /** How far its clock is ahead. */
  aheadSeconds: number
  secret: string
}

export interface OpPeer {
  url: string
  behaviour: Behaviour
  asked: Asked[]
  /** Further paths, such as those of a dialect. */
  routes: Map<string, (asked: Asked) => unknown>
  calm(): void
  /** What the browser would bring back from the authorization URL, once somebody has signed in there. */
  signIn(authorizationUrl: string, claims: Json): { code: string; state: string; redirectUri: string }
  /** Signs with a new key from now on, and publishes it alone. */
  rotate(): void
  sign(header: Json, claims: Json, key?: KeyObject): string
  count(path: RegExp): number
}

const encode = (part: Json) => Buffer.from(JSON.stringify(part)).toString('base64url')

function newKey() {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kid = randomBytes(6).toString('hex')
  return { ...pair, kid, jwk: { ...pair.publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' } }
}

const calmBehaviour = (): Behaviour => ({
  down: null,
  silent: null,
  status: null,
  discovery: (document) => document,
  claims: (claims) => claims,
  token: null,
  keys: (keys) => keys,
  userinfo: null,
  aheadSeconds: 0,
  secret: 'op-secret',
})

/** An OpenID provider that ends with the tests of the file. */
export async function startOpPeer(issuerOf?: (url: string) => string): Promise<OpPeer> {
  const { peer, close } = await openOpPeer(issuerOf)
  afterAll(close)
  return peer
}

/**
 * An OpenID provider on loopback that says whatever a test wants. It signs ID tokens itself, so that it can also sign
 * wrong ones, which no decent provider would.
 */
export async function openOpPeer(
  issuerOf: (url: string) => string = (url) => url,
): Promise<{ peer: OpPeer; close(): void }> {
  let key = newKey()
  const grants = new Map<string, Grant>()
  const server = createServer((request, response) => void answer(request, response))
  const url = await listen(server)
  const issuer = issuerOf(url)

  const peer: OpPeer = {
    url,
    behaviour: calmBehaviour(),
    asked: [],
    routes: new Map(),
    calm() {
      peer.behaviour = calmBehaviour()
      peer.asked.length = 0
    },
    signIn(authorizationUrl, claims) {
      const { searchParams: query } = new URL(authorizationUrl)
      const code = randomBytes(12).toString('hex')
      const redirectUri = query.get('redirect_uri') ?? ''
      const [clientId, challenge] = [query.get('client_id') ?? '', query.get('code_challenge') ?? '']
      grants.set(code, { clientId, redirectUri, challenge, nonce: query.get('nonce'), claims })
      return { code, state: query.get('state') ?? '', redirectUri }
    },
    rotate() {
      key = newKey()
    },
    sign(header, claims, own = key.privateKey) {
      const input = `${encode({ alg: 'ES256', kid: key.kid, typ: 'JWT', ...header })}.${encode(claims)}`
      return `${input}.${signJws('ES256', own, input)}`
    },
    count: (path) => peer.asked.filter((each) => path.test(each.path)).length,
  }
  peer.routes.set('/jwks', () => ({ keys: peer.behaviour.keys([key.jwk]) }))
  peer.routes.set('/token', (asked) => exchange(asked))
  peer.routes.set('/userinfo', () => peer.behaviour.userinfo)
  const discovery = () =>
    peer.behaviour.discovery({
      issuer,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      userinfo_endpoint: `${url}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'HS256', 'none'],
    })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const asked = await read(request)
    const { behaviour } = peer
    peer.asked.push(asked)
    if (behaviour.down?.test(asked.path)) return request.socket.destroy()
    if (behaviour.silent?.test(asked.path)) return
    response.setHeader('date', new Date(Date.now() + behaviour.aheadSeconds * 1000).toUTCString())
    if (behaviour.status?.path.test(asked.path)) return response.writeHead(behaviour.status.code).end('no')
    const respond = asked.path.endsWith('/.well-known/openid-configuration') ? discovery : peer.routes.get(asked.path)
    const body = respond ? respond(asked) : null
    const status = body === null ? 404 : typeof body === 'object' && Reflect.has(body, 'error') ? statusOf(body) : 200
    return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  function exchange({ form, headers }: Asked) {
    const code = form['code'] ?? ''
    const { clientId, secret } = readClient(form, headers.authorization)
    // Of a JWT as the secret the tests look at what it says.
    if (secret !== peer.behaviour.secret && peer.behaviour.secret !== 'a JWT') return { error: 'invalid_client' }
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    const fits =
      grant &&
      grant.clientId === clientId &&
      grant.redirectUri === form['redirect_uri'] &&
      grant.challenge === challenge
    if (!grant || !fits) return { error: 'invalid_grant', error_description: '<script>alert(1)</script>' }
    const now = Math.floor(Date.now() / 1000) + peer.behaviour.aheadSeconds
    const own = { iss: issuer, aud: clientId, iat: now, exp: now + 300, ...(grant.nonce && { nonce: grant.nonce }) }
    const claims = peer.behaviour.claims({ ...own, ...grant.claims })
    const token = peer.behaviour.token?.(claims) ?? peer.sign({}, claims)
    return { access_token: 'at', token_type: 'Bearer', expires_in: 300, id_token: token }
  }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { peer, close }
}

const statusOf = (body: object) => (Reflect.get(body, 'error') === 'invalid_client' ? 401 : 400)

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
  const { method = '', headers, url = '' } = request
  return { method, path: url.split('?')[0] ?? '', form, headers }
}

function readClient(form: Record<string, string>, authorization: string | undefined) {
  const { client_assertion, client_id: clientId, client_secret = client_assertion } = form
  if (authorization === undefined) return { clientId, secret: client_secret }
  const pair = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')
  const [id, secret] = pair.map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  return { clientId: id, secret }
}
