import { fileURLToPath } from 'node:url'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { answerSignIn, forget, origin, readCookie, setCookie, signedIn, split } from './session.ts'
import { type Answer, callAsPerson, callFor, Refusal } from './watchword.ts'

interface Sent {
  otp_id: string
  delivery_hint: string
}

/** What the page shows of an organization that somebody may enter. */
interface Found {
  discovery_token: string
  organizations: { subOrgId: string; name: string; requires: string | null }[]
}

const app = express()
app.disable('x-powered-by')
// Behind a proxy of yours: `req.ip`, which limits and locks go by, is then the address of the person.
app.set('trust proxy', 'loopback')

app.use((_req, res, next) => {
  res.set('content-security-policy', "default-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'none'")
  next()
})
app.use(express.static(fileURLToPath(new URL('public', import.meta.url))))
app.use(express.json())
app.use((_req, res, next) => {
  res.set('cache-control', 'no-store')
  next()
})

/** Against CSRF: what changes something comes from a page of ours. Browsers tell the origin of each such request. */
const ownPagesOnly: RequestHandler = (req, _res, next) => {
  if (req.method !== 'GET' && req.get('origin') !== origin)
    throw new Refusal(403, { code: 'other_origin', detail: `Send this from a page of ${origin}.` })
  next()
}
app.use(ownPagesOnly)

// Sign in: a code to the mailbox, the organizations that it opens, and the session in one of them.
app.post('/sign-in/code', async (req, res) => {
  const { email } = req.body
  const sent = await callFor<Sent>(req, '/auth/discovery/otp/send', { email })
  setCookie(res, 'otp', sent.otp_id, 600)
  res.json({ delivery_hint: sent.delivery_hint })
})
app.post('/sign-in/organizations', async (req, res) => {
  const { email, code } = req.body
  const sent = { email, otp_id: readCookie(req, 'otp') ?? '', code }
  const found = await callFor<Found>(req, '/auth/discovery/otp/verify', sent)
  setCookie(res, 'discovery', found.discovery_token, 600)
  res.json({ organizations: found.organizations })
})
app.post('/sign-in', async (req, res) => {
  const { subOrgId } = req.body
  const body = { subOrgId, discovery_token: readCookie(req, 'discovery') ?? '' }
  answerSignIn(res, subOrgId, await callFor<Answer>(req, '/auth/discovery/exchange', body))
})
app.post('/sign-in/challenge', async (req, res) => {
  const [subOrgId, challenge_token] = split(readCookie(req, 'challenge'))
  const body = { subOrgId, challenge_token, code: req.body.code }
  answerSignIn(res, subOrgId, await callFor<Answer>(req, '/mfa/challenge/verify', body))
})
app.post('/sign-out', async (req, res) => {
  const [, refresh_token] = split(readCookie(req, 'refresh'))
  try {
    if (refresh_token) await callFor(req, '/auth/token/revoke', { refresh_token })
  } finally {
    // Whatever becomes of the session: this browser is signed out.
    forget(res)
  }
  res.json({ signedIn: false })
})

// Everything below is for people who are signed in. A route of yours compares claims.org_id with what it is about.
app.use('/me', signedIn)
app.get('/me', async (_req, res) => {
  res.json({ ...(await callAsPerson<object>(res.locals['token'], 'GET', '/me')), claims: res.locals['claims'] })
})
for (const path of ['/step-up', '/passkeys/options', '/passkeys/verify', '/email', '/email/verify'])
  app.post(`/me${path}`, async (req, res) => {
    res.json(await callAsPerson(res.locals['token'], 'POST', `/me${path}`, req.body))
  })
app.post('/me/step-up/verify', async (req, res) => {
  interface SteppedUp {
    access_token: string
    expires_in: number
  }
  const token = res.locals['token']
  const proved = await callAsPerson<SteppedUp>(token, 'POST', '/me/step-up/verify', req.body)
  setCookie(res, 'access', proved.access_token, proved.expires_in)
  res.json({ steppedUp: true })
})

const answerError: ErrorRequestHandler = (error, _req, res, _next) => {
  if (error instanceof Refusal) {
    // The session has ended: without the cookie the next request tries to refresh it, and learns why.
    if (error.problem.code === 'access_token_invalid') forget(res, ['access'])
    res.status(error.status).json(error.problem)
    return
  }
  const status = error.status >= 400 && error.status < 500 ? error.status : 503
  if (status === 503) console.error(error)
  res.status(status).json({ code: status === 503 ? 'unavailable' : 'bad_request', detail: 'Please try again.' })
}
app.use(answerError)

app.listen(Number(process.env['PORT'] ?? 3000), process.env['HOST'] ?? 'localhost', (error) => {
  // Express 5 calls it as well when the port is taken.
  if (error) throw error
  console.log(`Open ${origin}`)
})
