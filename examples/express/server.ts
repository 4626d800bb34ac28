import { fileURLToPath } from 'node:url'
import type { LoginResult } from '@watchword/sdk'
import { requireSameOrigin, requireSession, sessionOf, watchwordErrors } from '@watchword/sdk/express'
import express, { type Request, type Response } from 'express'
import { origin, sessions, watchword } from './watchword.ts'

const app = express()
app.disable('x-powered-by')
// Behind your proxy. `req.ip` is then the person's address, to which rate limits and locks apply.
app.set('trust proxy', 'loopback')
app.use((_req, res, next) => {
  res.set('content-security-policy', "default-src 'self'; frame-ancestors 'none'; form-action 'self'; base-uri 'none'")
  next()
})
app.use(express.static(fileURLToPath(new URL('public', import.meta.url))))
app.use((_req, res, next) => {
  res.set('cache-control', 'no-store')
  next()
})
app.use(requireSameOrigin(sessions))
app.use(express.json())

/**
 * The data that a sign-in needs for its next step. It is sealed in a cookie, so only the browser that started the
 * sign-in can continue it.
 */
interface Attempt {
  email?: string
  otp_id?: string
  discovery_token?: string
  challenge_token?: string | undefined
  subOrgId?: string | undefined
}
const attempt = sessions.cookie<Attempt>('attempt')
const readAttempt = async (req: Request): Promise<Attempt> => (await attempt.read(req)) ?? {}
const keepAttempt = async (res: Response, next: Attempt) => res.append('set-cookie', await attempt.write(next, 600))

// Signing in: a code to the mailbox, then the organizations of the mailbox, and then a session in one of them.
app.post('/sign-in/code', async (req, res) => {
  const { email } = req.body
  const { otp_id, delivery_hint } = await watchword.forRequest(req).discovery.otp.send({ email })
  await keepAttempt(res, { email, otp_id })
  res.json({ delivery_hint })
})
app.post('/sign-in/organizations', async (req, res) => {
  const { email = '', otp_id = '' } = await readAttempt(req)
  const sent = { email, otp_id, code: req.body.code }
  const { discovery_token, organizations } = await watchword.forRequest(req).discovery.otp.verify(sent)
  await keepAttempt(res, { discovery_token })
  res.json({ organizations })
})
app.post('/sign-in', async (req, res) => {
  const { discovery_token = '' } = await readAttempt(req)
  const { subOrgId } = req.body
  await answerSignIn(res, await watchword.forRequest(req).discovery.exchange({ subOrgId, discovery_token }))
})
app.post('/sign-in/challenge', async (req, res) => {
  const { subOrgId, challenge_token = '' } = await readAttempt(req)
  const sent = { subOrgId, challenge_token, code: req.body.code }
  await answerSignIn(res, await watchword.forRequest(req).mfa.challenge.verify(sent))
})

/** Responds to a sign-in: the person is signed in, or the page must ask for a second factor. */
async function answerSignIn(res: Response, result: LoginResult): Promise<void> {
  const { session, challenge_token, sub_org_id, methods, enrollment_required: enroll } = result
  if (session) res.append('set-cookie', [await sessions.start(session), attempt.clear()])
  else await keepAttempt(res, { challenge_token, subOrgId: sub_org_id ?? undefined })
  res.json(session ? { signedIn: true } : { signedIn: false, methods, enroll })
}

app.post('/sign-out', async (req, res) => {
  const { setCookie, error } = await sessions.end(req)
  res.append('set-cookie', [setCookie, attempt.clear()])
  // This browser is signed out even if Watchword could not be reached.
  if (error) throw error
  res.json({ signedIn: false })
})

// All routes below are for people who are signed in. In your own routes, check that `sessionOf(res).claims.org_id` may
// access the data.
app.use('/me', requireSession(sessions))
const me = (res: Response) => sessionOf(res).user.me
app.get('/me', async (_req, res) => res.json(await me(res).get()))
app.post('/me/passkeys/options', async (_req, res) => res.json(await me(res).passkeys.start()))
app.post('/me/passkeys/verify', async (req, res) => res.json(await me(res).passkeys.verify(req.body)))
app.post('/me/email', async (req, res) => res.json(await me(res).email.start(req.body)))
app.post('/me/email/verify', async (req, res) => res.json(await me(res).email.verify(req.body)))
app.post('/me/step-up', async (req, res) => res.json(await me(res).stepUp.start(req.body)))
app.post('/me/step-up/verify', async (req, res) => {
  const steppedUp = await me(res).stepUp.verify(req.body)
  res.append('set-cookie', await sessions.update(sessionOf(res), steppedUp))
  res.json({ steppedUp: true })
})

app.use(watchwordErrors(sessions))

app.listen(Number(process.env['PORT'] ?? 3000), process.env['HOST'] ?? 'localhost', (error) => {
  // Express 5 also calls this if the port is taken.
  if (error) throw error
  console.log(`Open ${origin}`)
})
