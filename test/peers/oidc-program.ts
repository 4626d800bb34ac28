import { once } from 'node:events'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

/**
 * A program of its own: an OpenID provider by the npm package `oidc-provider`, for the clients that it is given, with a
 * page where whoever comes types who they are. It is told by messages to sign with other keys.
 */
const clients = JSON.parse(process.argv[2] ?? '[]')
const { isNameless, isTalkative } = JSON.parse(process.argv[3] ?? '{}')
const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()
const issuer = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`

async function openProvider(kid: string) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of a test'] },
    pkce: { required: () => true },
    conformIdTokenClaims: !isTalkative,
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name', 'family_name', 'groups'],
    },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    // Its own calls no service on this machine.
    fetch: (url, { dispatcher: _, ...options } = {}) => fetch(url, options),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => claimsOf(id) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  if (isNameless)
    provider.use(async (context, next) => {
      await next()
      Reflect.deleteProperty(Object(context.body), 'authorization_response_iss_parameter_supported')
      const location = URL.parse(context.response.get('location'))
      location?.searchParams.delete('iss')
      if (location) context.set('location', location.href)
    })
  return { provider, callback: provider.callback() }
}

/** Who types `ada@acme.example admins` is Ada, of that group. */
function claimsOf(id: string) {
  const [email = '', ...groups] = id.split(' ')
  const given_name = email.split('@')[0] ?? ''
  return { sub: email, email, email_verified: true, name: `${given_name} Tester`, given_name, groups }
}

let opened = await openProvider('first')

async function answer(...[request, response]: Parameters<typeof opened.callback>): Promise<void> {
  if (!request.url?.startsWith('/interaction/')) return void opened.callback(request, response)
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html')
    response.end('<form method="post"><input name="login" autofocus><button>Sign in</button></form>')
    return
  }
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const accountId = new URLSearchParams(Buffer.concat(chunks).toString()).get('login') ?? ''
  await opened.provider.interactionFinished(request, response, { login: { accountId } })
}

process.on('message', async (kid) => {
  opened = await openProvider(String(kid))
  process.send?.('rotated')
})
process.on('disconnect', () => process.exit())
process.send?.(issuer)
