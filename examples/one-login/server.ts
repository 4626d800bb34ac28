import { fileURLToPath } from 'node:url'
import express, { type ErrorRequestHandler } from 'express'
import { audit } from './audit.ts'
import { ownPagesOnly, readPasskey } from './forms.ts'
import { html, sendPage } from './html.ts'
import { forget, origin, personOf, signedIn, signOut, tokenOf } from './session.ts'
import { settings } from './settings.ts'
import { signIn } from './sign-in.ts'
import { callAsPerson, Refusal } from './watchword.ts'
import { events, receiver, registerWebhook } from './webhooks.ts'

const app = express()
app.disable('x-powered-by')
// Behind a proxy of yours: `req.ip`, which limits and locks go by, is then the address of the person.
app.set('trust proxy', 'loopback')

app.use((_req, res, next) => {
  res.set({
    'content-security-policy':
      "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; form-action 'self'; base-uri 'none'",
    // Links of mails have secrets in their address. Browsers would send no origin with forms under no-referrer.
    'referrer-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  next()
})
app.use(express.static(fileURLToPath(new URL('public', import.meta.url))))
app.use((_req, res, next) => {
  res.set('cache-control', 'no-store')
  next()
})
app.use(receiver)
app.use(ownPagesOnly)
app.use(express.urlencoded({ extended: false }))
app.use(signIn)

app.get('/', signedIn, (_req, res) => {
  const person = personOf(res)
  sendPage(res, {
    title: `Welcome, ${person.name}`,
    person,
    body: html`<p>You are signed in to <b>${person.organization}</b> as <b>${person.email}</b>. Your role is <b>${person.role}</b>.</p>
<form method="post" action="/passkeys" id="add-passkey"><input type="hidden" name="answer"><button>Add a passkey</button></form>
<p role="status"></p>`,
    head: html`<script type="module" src="/passkey.js"></script>`,
  })
})
app.post('/passkeys/options', signedIn, async (_req, res) => {
  res.json(await callAsPerson<object>(tokenOf(res), 'POST', '/me/passkeys/options', {}))
})
app.post('/passkeys', signedIn, async (req, res) => {
  await callAsPerson(tokenOf(res), 'POST', '/me/passkeys/verify', readPasskey(req))
  const body = html`<p>You can sign in with it from now on.</p><a class="button" href="/">Home</a>`
  sendPage(res, { title: 'The passkey was added', person: personOf(res), body })
})
app.post('/sign-out', async (req, res) => {
  await signOut(req, res)
  res.redirect(303, '/login')
})
app.use(settings, audit, events)

const answerError: ErrorRequestHandler = (error, req, res, _next) => {
  const code = error instanceof Refusal ? error.problem.code : ''
  // The session has ended: without the cookie the next request tries to refresh it, and learns why.
  if (code === 'access_token_invalid') forget(res, ['access'])
  const wantsJson = req.path.endsWith('/options')
  if (!wantsJson && ['not_signed_in', 'access_token_invalid'].includes(code)) {
    res.redirect(303, code === 'not_signed_in' ? '/login' : '/')
    return
  }
  const status = error.status >= 400 && error.status < 500 ? error.status : 503
  if (status === 503) console.error(error)
  const detail = error instanceof Refusal && status !== 503 ? error.message : 'Please try again.'
  if (wantsJson) res.status(status).json({ code, detail })
  else sendPage(res, { title: 'This did not work', status, body: html`<p>${detail}</p><p><a href="/">Home</a></p>` })
}
app.use(answerError)

await registerWebhook()
app.listen(Number(process.env['PORT'] ?? 3000), process.env['HOST'] ?? 'localhost', (error) => {
  // Express 5 calls it as well when the port is taken.
  if (error) throw error
  console.log(`Open ${origin}`)
})
