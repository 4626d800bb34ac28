import { fileURLToPath } from 'node:url'
import { requireSameOrigin, sessionOf, watchwordErrors } from '@watchword/sdk/express'
import express from 'express'
import { audit } from './audit.ts'
import { readPasskey } from './forms.ts'
import { html, sendPage } from './html.ts'
import { personOf, refused, signedIn } from './session.ts'
import { settings } from './settings.ts'
import { signIn } from './sign-in.ts'
import { origin, sessions } from './watchword.ts'
import { events, receiver } from './webhooks.ts'

const app = express()
app.disable('x-powered-by')
// Behind your proxy. `req.ip` is then the person's address, to which rate limits and locks apply.
app.set('trust proxy', 'loopback')

app.use((_req, res, next) => {
  res.set({
    'content-security-policy':
      "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; form-action 'self'; base-uri 'none'",
    // Links in mails contain secrets, so other sites must not see the address. With no-referrer, browsers would send
    // forms without an origin.
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
app.post('/webhooks', receiver)
app.use(requireSameOrigin(sessions, { refused }))
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
app.post('/passkeys/options', signedIn, async (_req, res) => res.json(await sessionOf(res).user.me.passkeys.start()))
app.post('/passkeys', signedIn, async (req, res) => {
  await sessionOf(res).user.me.passkeys.verify(readPasskey(req))
  const body = html`<p>You can sign in with it from now on.</p><a class="button" href="/">Home</a>`
  sendPage(res, { title: 'The passkey was added', person: personOf(res), body })
})
app.post('/sign-out', async (req, res) => {
  const { setCookie, error } = await sessions.end(req)
  res.append('set-cookie', setCookie)
  // This browser is signed out even if Watchword could not be reached.
  if (error) throw error
  res.redirect(303, '/login')
})
app.use(settings, audit, events)
app.use(watchwordErrors(sessions, { refused }))

app.listen(Number(process.env['PORT'] ?? 3000), process.env['HOST'] ?? 'localhost', (error) => {
  // Express 5 also calls this if the port is taken.
  if (error) throw error
  console.log(`Open ${origin}`)
})
