import { type Request, type Response, Router } from 'express'
import { read, readPasskey } from './forms.ts'
import { type Html, html, sendPage } from './html.ts'
import { type Attempt, keepAttempt, keepSession, origin, readAttempt } from './session.ts'
import { type Answer, callAsBackend, callFor, type Found, Refusal } from './watchword.ts'

interface Connection {
  id: string
  subOrgId: string
  name: string
}

export const signIn = Router()

const PROVIDERS: Record<string, string> = { google: 'Google', microsoft: 'Microsoft', apple: 'Apple', github: 'GitHub' }

/** The social providers of the environment. They are read once: start again after a change. */
const { methods } = await callAsBackend<{ methods: { providers: string[] | null }[] }>('GET', '/auth/methods')
const social = methods.flatMap(({ providers }) => providers ?? [])

const PROBLEMS: Record<string, string> = {
  otp_invalid: 'This code is not right. Check the newest mail.',
  otp_expired: 'This code has expired. Ask for a new one.',
  otp_too_many_attempts: 'Too many wrong codes. Ask for a new one.',
  mfa_code_invalid: 'This code is not right. Wait for the next one in your app.',
  challenge_expired: 'This took too long. Sign in again.',
  discovery_token_invalid: 'This took too long. Sign in again.',
  passkey_invalid: 'This passkey did not work. Use your address instead.',
  rate_limited: 'Too many tries. Wait a few minutes.',
  account_locked: 'Too many tries. Wait a few minutes.',
  user_inactive: 'Your access has ended. Ask your administrator.',
  user_locked: 'Your access is locked. Ask your administrator.',
  organization_suspended: 'Your organization has no access at the moment.',
  sso_required: 'Your organization requires single sign-on. Enter your work address.',
  token_invalid: 'This link no longer works. Ask for a new invitation.',
  token_expired: 'This link has expired. Ask for a new invitation.',
  credential_exists: 'You have joined already. Sign in with your address.',
  invalid_request: 'This is incomplete. Check what you have typed.',
  access_denied: 'The sign-in was cancelled.',
  domain_not_verified: 'Your organization has not verified the domain of your address.',
  account_not_linked: 'Your organization has not given you access yet. Ask your administrator.',
}

const wordsFor = (code: string) => PROBLEMS[code] ?? 'This did not work. Try again.'

/** Shows a page again, with what was wrong. */
const showAgain = (show: (alert: string) => void) => (error: unknown) => {
  if (!(error instanceof Refusal)) throw error
  show(wordsFor(error.problem.code))
}

function showLogin(res: Response, alert?: string, email = ''): void {
  sendPage(res, {
    title: 'Sign in',
    alert,
    head: html`<script type="module" src="/passkey.js"></script>`,
    body: html`<form method="post" action="/login">
<label for="email">Work email</label>
<input id="email" name="email" type="email" value="${email}" autocomplete="username webauthn" required autofocus>
<button>Continue</button>
</form>
${social.map((provider) => html`<a class="button" href="/login/social?provider=${provider}">Continue with ${PROVIDERS[provider] ?? provider}</a>`)}
<form method="post" action="/login/passkey" id="passkey-sign-in" hidden><input type="hidden" name="answer"></form>`,
  })
}

signIn.get('/login', (_req, res) => showLogin(res))

/** The address decides: single sign-on if the domain has it, otherwise a mailed code. */
signIn.post('/login', async (req, res) => {
  const email = read(req, 'email')
  interface Discovered {
    connections: Connection[]
    enforced: boolean
  }
  try {
    const { connections, enforced } = await callFor<Discovered>(req, '/auth/login/sso/discover', { email })
    if (connections.length === 0 && !enforced) await sendCode(req, res, email)
    else {
      keepAttempt(res, { email })
      showConnections(res, connections, enforced)
    }
  } catch (error) {
    showAgain((alert) => showLogin(res, alert, email))(error)
  }
})

// Links, and no redirect of the form: `form-action` of the page does not allow a form to end at an identity provider.
function showConnections(res: Response, connections: Connection[], enforced: boolean): void {
  const [first] = connections
  const notice = enforced ? 'Your organization requires its own sign-in.' : 'Your organization has its own sign-in.'
  sendPage(res, {
    title: 'Single sign-on',
    body: html`<p>${first ? notice : 'Your organization requires single sign-on, which is not ready. Ask your administrator.'}</p>
${connections.map(({ id, subOrgId, name }) => html`<a class="button" href="${ssoPath(subOrgId, id)}">Continue with ${name}</a>`)}
${enforced ? html`<p>Do you also belong to another organization? A code opens that one.</p>` : null}
<form method="post" action="/login/email"><button class="quiet">Mail me a code instead</button></form>
<p><a href="/login">Use another address</a></p>`,
  })
}

const ssoPath = (subOrgId: string, connectionId: string) =>
  `/login/sso?${new URLSearchParams({ organization: subOrgId, connection: connectionId })}`

signIn.get('/login/sso', async (req, res) => {
  // A link on another site could sign a browser in to an account of its author (login CSRF).
  if (req.get('sec-fetch-site') !== 'same-origin') return showLogin(res)
  const { email } = readAttempt(req)
  const subOrgId = String(req.query['organization'])
  const start = { subOrgId, connectionId: String(req.query['connection']), redirectUri: `${origin}/login/callback` }
  const hint = email ? { login_hint: email } : {}
  try {
    const body = { ...start, ...hint, response_mode: 'code' }
    const begun = await callFor<{ authorization_url: string; state: string }>(req, '/auth/login/sso/start', body)
    keepAttempt(res, { state: begun.state })
    res.redirect(303, begun.authorization_url)
  } catch (error) {
    showAgain((alert) => showLogin(res, alert))(error)
  }
})

// Of no organization: the answer has those of the person.
signIn.get('/login/social', async (req, res) => {
  if (req.get('sec-fetch-site') !== 'same-origin') return showLogin(res)
  const body = { provider: String(req.query['provider']), redirectUri: `${origin}/login/callback` }
  try {
    const begun = await callFor<{ authorization_url: string; state: string }>(req, '/auth/login/social/start', body)
    keepAttempt(res, { state: begun.state })
    res.redirect(303, begun.authorization_url)
  } catch (error) {
    showAgain((alert) => showLogin(res, alert))(error)
  }
})

signIn.get('/login/callback', async (req, res) => {
  const { state } = readAttempt(req)
  // Only the browser that began this sign-in may end it: otherwise an attacker could sign it in to another account (login CSRF).
  if (!state || req.query['state'] !== state) return showLogin(res, 'This sign-in began in another browser. Try again.')
  if (req.query['error']) return showLogin(res, wordsFor(String(req.query['error'])))
  await callFor<Answer>(req, '/auth/token/exchange', { code: String(req.query['code']) })
    .then((answer) => proceedFrom(req, res, answer))
    .catch(showAgain((alert) => showLogin(res, alert)))
})

async function sendCode(req: Request, res: Response, email: string): Promise<void> {
  const sent = await callFor<{ otp_id: string }>(req, '/auth/discovery/otp/send', { email })
  keepAttempt(res, { email, otpId: sent.otp_id })
  showCode(res, email)
}

function showCode(res: Response, email: string, alert?: string): void {
  sendPage(res, {
    title: 'Check your mail',
    alert,
    body: html`<p>We have sent a code of two words to <b>${email}</b>.</p>
<form method="post" action="/login/code">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required autofocus>
<button>Sign in</button>
</form>
<form method="post" action="/login/email"><button class="quiet">Send a new code</button></form>
<p><a href="/login">Use another address</a></p>`,
  })
}

signIn.post('/login/email', async (req, res) => {
  await sendCode(req, res, readAttempt(req).email ?? '').catch(showAgain((alert) => showLogin(res, alert)))
})

signIn.post('/login/code', async (req, res) => {
  const { email = '', otpId = '' } = readAttempt(req)
  const body = { email, otp_id: otpId, code: read(req, 'code') }
  const again = showAgain((alert) => (otpId ? showCode(res, email, alert) : showLogin(res, alert)))
  const found = await callFor<Answer>(req, '/auth/discovery/otp/verify', body).catch(again)
  if (found) await proceedFrom(req, res, found, { email })
})

/** The same as `proceed`, but enters an organization that is the only one. */
async function proceedFrom(req: Request, res: Response, answer: Answer, attempt: Attempt = {}): Promise<void> {
  const [only, ...others] = answer.organizations ?? []
  if (only && others.length === 0 && only.requires !== 'sso')
    await enter(req, res, only.subOrgId, answer.discovery_token)
  else proceed(res, answer, attempt)
}

function showOrganizations(res: Response, organizations: Found[]): void {
  const way = ({ subOrgId, name, requires, connection_id }: Found) => {
    if (requires !== 'sso')
      return html`<form method="post" action="/login/organization"><button name="subOrgId" value="${subOrgId}">${name}</button></form>`
    return connection_id
      ? html`<a class="button" href="${ssoPath(subOrgId, connection_id)}">${name} <small>single sign-on</small></a>`
      : html`<p>${name} requires single sign-on with an address of its own.</p>`
  }
  sendPage(res, {
    title: organizations.length ? 'Choose an organization' : 'No organization yet',
    body: organizations.length
      ? html`<ul class="plain">${organizations.map((each) => html`<li>${way(each)}</li>`)}</ul>`
      : html`<p>No organization has added your address. Ask for an invitation.</p><p><a href="/login">Use another address</a></p>`,
  })
}

signIn.post('/login/organization', (req, res) => enter(req, res, read(req, 'subOrgId'), readAttempt(req).discovery))

async function enter(req: Request, res: Response, subOrgId: string, token = ''): Promise<void> {
  try {
    const answer = await callFor<Answer>(req, '/auth/discovery/exchange', { subOrgId, discovery_token: token })
    proceed(res, answer)
  } catch (error) {
    const connection = error instanceof Refusal ? error.problem.connection_id : null
    if (connection) return showConnections(res, [{ id: connection, subOrgId, name: 'single sign-on' }], true)
    showAgain((alert) => showLogin(res, alert))(error)
  }
}

/** Every sign-in ends here: signed in, or with what the person has to do next. */
function proceed(res: Response, answer: Answer, attempt: Attempt = {}): void {
  const { session, challenge_token: challenge, discovery_token: discovery } = answer
  const { sub_org_id: subOrgId, directory_user_id: userId } = answer
  if (session) {
    keepSession(res, session)
    // Always home: an address in the query would be an open redirect.
    res.redirect(303, '/')
  } else if (challenge && subOrgId && userId) {
    keepAttempt(res, { ...attempt, subOrgId, challenge, userId })
    if (answer.enrollment_required) showEnrollment(res)
    else showChallenge(res, answer.methods ?? [])
  } else {
    keepAttempt(res, { ...attempt, ...(discovery ? { discovery } : {}) })
    showOrganizations(res, answer.organizations ?? [])
  }
}

function showChallenge(res: Response, methods: string[], alert?: string): void {
  const usesApp = methods.length === 0 || methods.includes('totp')
  sendPage(res, {
    title: 'Second factor',
    alert,
    body: usesApp
      ? codeForm('/login/challenge', html`<label for="code">Code of your authenticator app, or a backup code</label>`)
      : html`<p>Sign in with your passkey.</p><p><a href="/login">Back to the sign-in</a></p>`,
  })
}

const codeForm = (action: string, label: Html, more: Html | null = null) => html`<form method="post" action="${action}">
${label}
<input id="code" name="code" autocomplete="one-time-code" required autofocus>${more}
<button>Continue</button>
</form>`

signIn.post('/login/challenge', async (req, res) => {
  const { subOrgId = '', challenge = '' } = readAttempt(req)
  const body = { subOrgId, challenge_token: challenge, code: read(req, 'code') }
  await callFor<Answer>(req, '/mfa/challenge/verify', body)
    .then((answer) => proceed(res, answer))
    .catch(retryOrBegin(res, (alert) => showChallenge(res, [], alert)))
})

/** A wrong code can be typed again. After everything else the challenge is over. */
const retryOrBegin = (res: Response, again: (alert: string) => void) => (error: unknown) =>
  showAgain((alert) =>
    error instanceof Refusal && error.problem.code === 'mfa_code_invalid' ? again(alert) : showLogin(res, alert),
  )(error)

function showEnrollment(res: Response): void {
  sendPage(res, {
    title: 'Set up a second factor',
    body: html`<p>Your organization requires a second factor. You need an authenticator app on your phone.</p>
<form method="post" action="/login/enroll"><button>Set up the app</button></form>`,
  })
}

signIn.post('/login/enroll', async (req, res) => {
  const { subOrgId = '', userId = '', challenge } = readAttempt(req)
  if (!challenge) return showLogin(res, wordsFor('challenge_expired'))
  interface Begun {
    pendingId: string
    qrDataUrl: string
    secret: string
  }
  await callFor<Begun>(req, '/mfa/totp', { subOrgId, userId, challenge_token: challenge })
    .then(({ pendingId, qrDataUrl, secret }) =>
      showConfirmation(
        res,
        pendingId,
        html`<p>Scan this with your authenticator app:</p>
<img class="qr" src="${qrDataUrl}" alt="QR code for an authenticator app">
<p>Or type this key into it: <code>${secret}</code></p>`,
      ),
    )
    .catch(showAgain((alert) => showLogin(res, alert)))
})

function showConfirmation(res: Response, pendingId: string, above: Html | null, alert?: string): void {
  const label = html`<label for="code">Code of the app</label>`
  const pending = html`<input type="hidden" name="pendingId" value="${pendingId}">`
  const form = codeForm('/login/enroll/confirm', label, pending)
  sendPage(res, { title: 'Set up a second factor', alert, body: html`${above}${form}` })
}

signIn.post('/login/enroll/confirm', async (req, res) => {
  // The challenge goes along, so that only its own user gets this factor.
  const { subOrgId = '', userId = '', challenge } = readAttempt(req)
  if (!challenge) return showLogin(res, wordsFor('challenge_expired'))
  const pendingId = read(req, 'pendingId')
  const body = { subOrgId, userId, pendingId, code: read(req, 'code'), challenge_token: challenge }
  await callFor<Answer & { backupCodes: string[] }>(req, '/mfa/totp', body, 'PUT')
    .then(({ session, backupCodes }) => {
      if (session) keepSession(res, session)
      sendPage(res, {
        title: 'Keep your backup codes',
        body: html`<p>Each opens one session without the app. They are shown only now.</p>
<ul class="codes">${backupCodes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<a class="button" href="/">Continue</a>`,
      })
    })
    .catch(retryOrBegin(res, (alert) => showConfirmation(res, pendingId, null, alert)))
})

// Passkeys by autofill: the passkey says whose it is, and of which organization.
signIn.post('/login/passkey/options', async (req, res) => {
  res.json(await callFor<object>(req, '/auth/login/passkey/options', {}))
})

signIn.post('/login/passkey', async (req, res) => {
  await callFor<Answer>(req, '/auth/login/passkey/verify', readPasskey(req))
    .then((answer) => proceed(res, answer))
    .catch(showAgain((alert) => showLogin(res, alert)))
})

// Invitations: one page for all customers. Opening the link changes nothing, since programs that scan mails open it too.
signIn.get('/invitation', (req, res) => {
  sendPage(res, {
    title: 'Join your team',
    body: html`<p>You are invited as <b>${String(req.query['email'] ?? '')}</b>.</p>
<form method="post" action="/invitation">
<input type="hidden" name="token" value="${String(req.query['token_hash'] ?? '')}">
<button>Accept the invitation</button>
</form>`,
  })
})

signIn.post('/invitation', async (req, res) => {
  // The token says which organization this is.
  await callFor<Answer>(req, '/auth/invite/accept', { token: read(req, 'token') })
    .then((answer) => proceed(res, answer))
    .catch(showAgain((alert) => showLogin(res, alert)))
})
