import {
  type ConnectionOfDomain,
  type DiscoveredOrganization,
  type FederatedStart,
  type LoginResult,
  type SessionTokens,
  WatchwordError,
} from '@watchword/sdk'
import { type Request, type Response, Router } from 'express'
import { read, readPasskey } from './forms.ts'
import { type Html, html, sendPage } from './html.ts'
import { wordsFor } from './problems.ts'
import { origin, sessions, watchword } from './watchword.ts'

/** A sign-in in progress, sealed in a cookie. Only the browser that started it can finish it. */
interface Attempt {
  email?: string
  /** The id of the mailed code. */
  otpId?: string
  /** A proof of the mailbox, or of a passkey that several organizations have. */
  discovery?: string
  /** For single sign-on: the value that the browser must return. */
  state?: string
  /** For a second factor: the challenge, its user and its organization. */
  challenge?: string
  userId?: string
  subOrgId?: string
}

const cookie = sessions.cookie<Attempt>('attempt')
const readAttempt = async (req: Request): Promise<Attempt> => (await cookie.read(req)) ?? {}
const keepAttempt = async (res: Response, attempt: Attempt) =>
  res.append('set-cookie', await cookie.write(attempt, 600))

export const signIn = Router()

/** What a page shows after a refusal. */
interface Refused {
  code: string
  alert: string
  attempt: Attempt
}

/** A step of the sign-in. If Watchword refuses, the step shows a page again with the problem. */
function step(
  method: 'get' | 'post',
  path: string,
  run: (req: Request, res: Response, attempt: Attempt) => Promise<void>,
  again: (res: Response, refused: Refused, req: Request) => void = (res, { alert }) => showLogin(res, alert),
): void {
  signIn[method](path, async (req, res) => {
    const attempt = await readAttempt(req)
    try {
      await run(req, res, attempt)
    } catch (error) {
      if (!(error instanceof WatchwordError) || error.isInternal) throw error
      again(res, { code: error.code, alert: wordsFor(error.code), attempt }, req)
    }
  })
}

const PROVIDERS = { google: 'Google', microsoft: 'Microsoft', apple: 'Apple', github: 'GitHub' }
const isProvider = (name: string): name is keyof typeof PROVIDERS => name in PROVIDERS

/** The environment's social providers. They are read once, so restart after a change. */
const { methods } = await watchword.auth.listMethods()
const social = methods.flatMap(({ providers }) => providers ?? []).filter(isProvider)

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
${social.map((provider) => html`<a class="button" href="/login/social?provider=${provider}">Continue with ${PROVIDERS[provider]}</a>`)}
<form method="post" action="/login/passkey" id="passkey-sign-in" hidden><input type="hidden" name="answer"></form>`,
  })
}

signIn.get('/login', (_req, res) => showLogin(res))

// The address decides: single sign-on if the domain has it, and otherwise a mailed code.
step(
  'post',
  '/login',
  async (req, res) => {
    const email = read(req, 'email')
    const { connections, enforced } = await watchword.forRequest(req).login.sso.discover({ email })
    if (connections.length === 0 && !enforced) return sendCode(req, res, email)
    await keepAttempt(res, { email })
    showConnections(res, connections, enforced)
  },
  (res, { alert }, req) => showLogin(res, alert, read(req, 'email')),
)

type Connection = Pick<ConnectionOfDomain, 'id' | 'subOrgId' | 'name'>

// Links instead of a redirect after the form, because the page's `form-action` does not allow forms to lead to an
// identity provider.
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

const ssoPath = (subOrgId: string | null, connection: string) =>
  `/login/sso?${new URLSearchParams({ organization: subOrgId ?? '', connection })}`

const redirectUri = `${origin}/login/callback`

/** Starts a sign-in at an identity provider. */
function leave(path: string, start: (req: Request, attempt: Attempt) => Promise<FederatedStart> | undefined): void {
  step('get', path, async (req, res, attempt) => {
    // A link on another site could sign the browser in to an account of the link's author (login CSRF).
    const begun = sessions.isSameOrigin(req) ? await start(req, attempt) : undefined
    if (!begun) return showLogin(res)
    await keepAttempt(res, { state: begun.state })
    res.redirect(303, begun.authorization_url)
  })
}

leave('/login/sso', (req, { email }) =>
  watchword.forRequest(req).login.sso.start({
    subOrgId: String(req.query['organization']) || undefined,
    connectionId: String(req.query['connection']),
    redirectUri,
    response_mode: 'code',
    login_hint: email,
  }),
)

// Without an organization, the result lists the person's organizations.
leave('/login/social', (req) => {
  const provider = social.find((one) => one === req.query['provider'])
  return provider && watchword.forRequest(req).social.start({ provider, redirectUri })
})

step('get', '/login/callback', async (req, res, { state }) => {
  // Only the browser that started this sign-in may finish it. Otherwise an attacker could sign it in to another
  // account (login CSRF).
  if (!state || req.query['state'] !== state) return showLogin(res, 'This sign-in began in another browser. Try again.')
  if (req.query['error']) return showLogin(res, wordsFor(String(req.query['error'])))
  await proceedFrom(req, res, await watchword.forRequest(req).tokens.exchange({ code: String(req.query['code']) }))
})

async function sendCode(req: Request, res: Response, email: string): Promise<void> {
  const { otp_id: otpId } = await watchword.forRequest(req).discovery.otp.send({ email })
  await keepAttempt(res, { email, otpId })
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

step('post', '/login/email', (req, res, { email = '' }) => sendCode(req, res, email))

step(
  'post',
  '/login/code',
  async (req, res, { email = '', otpId = '' }) => {
    const sent = { email, otp_id: otpId, code: read(req, 'code') }
    const found = await watchword.forRequest(req).discovery.otp.verify(sent)
    await proceedFrom(req, res, { session: null, ...found }, { email })
  },
  (res, { alert, attempt: { email, otpId } }) => (email && otpId ? showCode(res, email, alert) : showLogin(res, alert)),
)

/** Does the same as `proceed`, but enters the organization at once if there is only one. */
async function proceedFrom(req: Request, res: Response, result: LoginResult, attempt?: Attempt): Promise<void> {
  const [only, ...others] = result.organizations ?? []
  if (only && others.length === 0 && only.requires !== 'sso')
    await enter(req, res, only.subOrgId, result.discovery_token)
  else await proceed(res, result, attempt)
}

function showOrganizations(res: Response, organizations: DiscoveredOrganization[]): void {
  const way = ({ subOrgId, name, requires, connection_id }: DiscoveredOrganization) => {
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

step('post', '/login/organization', (req, res, { discovery }) => enter(req, res, read(req, 'subOrgId'), discovery))

async function enter(req: Request, res: Response, subOrgId: string, discovery_token = ''): Promise<void> {
  try {
    await proceed(res, await watchword.forRequest(req).discovery.exchange({ subOrgId, discovery_token }))
  } catch (error) {
    const isRefused = error instanceof WatchwordError && error.code === 'sso_required'
    const id = isRefused ? error.problem.connection_id : null
    if (!id) throw error
    showConnections(res, [{ id, subOrgId, name: 'single sign-on' }], true)
  }
}

/** Every sign-in ends here: the person is signed in, or learns what to do next. */
async function proceed(res: Response, result: LoginResult, attempt: Attempt = {}): Promise<void> {
  const { session, challenge_token: challenge, discovery_token: discovery } = result
  const { sub_org_id: subOrgId, directory_user_id: userId } = result
  if (session) {
    await signedIn(res, session)
    // Always the home page, because an address from the query would be an open redirect.
    res.redirect(303, '/')
  } else if (challenge && subOrgId && userId) {
    await keepAttempt(res, { subOrgId, challenge, userId })
    if (result.enrollment_required) showEnrollment(res)
    else showChallenge(res, result.methods)
  } else {
    await keepAttempt(res, { ...attempt, ...(discovery ? { discovery } : {}) })
    showOrganizations(res, result.organizations ?? [])
  }
}

const signedIn = async (res: Response, session: SessionTokens) =>
  res.append('set-cookie', [await sessions.start(session), cookie.clear()])

function showChallenge(res: Response, methods: string[] = [], alert?: string): void {
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

step(
  'post',
  '/login/challenge',
  async (req, res, { subOrgId, challenge = '' }) => {
    const sent = { subOrgId, challenge_token: challenge, code: read(req, 'code') }
    await proceed(res, await watchword.forRequest(req).mfa.challenge.verify(sent))
  },
  unlessWrongCode((res, alert) => showChallenge(res, [], alert)),
)

/** After a wrong code, the person can type it again. After any other refusal, the challenge cannot be used any more. */
function unlessWrongCode(again: (res: Response, alert: string, req: Request) => void) {
  return (res: Response, { code, alert }: Refused, req: Request) =>
    code === 'mfa_code_invalid' ? again(res, alert, req) : showLogin(res, alert)
}

function showEnrollment(res: Response): void {
  sendPage(res, {
    title: 'Set up a second factor',
    body: html`<p>Your organization requires a second factor. You need an authenticator app on your phone.</p>
<form method="post" action="/login/enroll"><button>Set up the app</button></form>`,
  })
}

step('post', '/login/enroll', async (req, res, { subOrgId, userId, challenge }) => {
  if (!challenge || !userId) return showLogin(res, wordsFor('challenge_expired'))
  const begin = { subOrgId, userId, challenge_token: challenge }
  const { pendingId, qrDataUrl, secret } = await watchword.forRequest(req).mfa.totp.start(begin)
  const above = html`<p>Scan this with your authenticator app:</p>
<img class="qr" src="${qrDataUrl}" alt="QR code for an authenticator app">
<p>Or type this key into it: <code>${secret}</code></p>`
  showConfirmation(res, pendingId, above)
})

function showConfirmation(res: Response, pendingId: string, above: Html | null, alert?: string): void {
  const label = html`<label for="code">Code of the app</label>`
  const pending = html`<input type="hidden" name="pendingId" value="${pendingId}">`
  const form = codeForm('/login/enroll/confirm', label, pending)
  sendPage(res, { title: 'Set up a second factor', alert, body: html`${above}${form}` })
}

step(
  'post',
  '/login/enroll/confirm',
  async (req, res, { subOrgId, userId, challenge }) => {
    if (!challenge || !userId) return showLogin(res, wordsFor('challenge_expired'))
    // Sends the challenge too, so that only its own user gets this factor.
    const typed = { pendingId: read(req, 'pendingId'), code: read(req, 'code') }
    const sent = { subOrgId, userId, challenge_token: challenge, ...typed }
    const { session, backupCodes } = await watchword.forRequest(req).mfa.totp.verify(sent)
    if (session) await signedIn(res, session)
    sendPage(res, {
      title: 'Keep your backup codes',
      body: html`<p>Each opens one session without the app. They are shown only now.</p>
<ul class="codes">${backupCodes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<a class="button" href="/">Continue</a>`,
    })
  },
  unlessWrongCode((res, alert, req) => showConfirmation(res, read(req, 'pendingId'), null, alert)),
)

// Passkeys by autofill. The passkey identifies the user and the organization.
signIn.post('/login/passkey/options', async (req, res) =>
  res.json(await watchword.forRequest(req).login.passkey.start({})),
)
step('post', '/login/passkey', async (req, res) =>
  proceed(res, await watchword.forRequest(req).login.passkey.verify(readPasskey(req))),
)

// Invitations: one page for all customers. Opening the link must change nothing, because programs that scan mails open
// it too.
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

// The token identifies the organization.
step('post', '/invitation', async (req, res) =>
  proceed(res, await watchword.forRequest(req).invites.accept({ token: read(req, 'token') })),
)
