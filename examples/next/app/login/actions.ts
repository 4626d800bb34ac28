'use server'

import { redirect } from 'next/navigation'
import { choicesOf, enter, problemOf, proceed, type Step } from '../../lib/sign-in'
import { auth, forThisRequest, keepAttempt, origin, readAttempt } from '../../lib/watchword'

const START: Step = { name: 'address' }

/** One step of a sign-in. The pressed button says which. */
export async function signIn(previous: Step, form: FormData): Promise<Step> {
  const read = (name: string) => String(form.get(name) ?? '').trim()
  const steps: Record<string, () => Promise<Step>> = {
    address: () => identify(read('email')),
    code: () => sendCode(read('email')),
    verify: () => verify(read('code')),
    enter: async () => enter(read('subOrgId'), (await readAttempt()).discoveryToken ?? ''),
    sso: () => startSso(read('subOrgId'), read('connectionId')),
    factor: () => proveFactor(read('code')),
  }
  const [intent = '', subOrgId, connectionId] = read('intent').split(' ')
  if (subOrgId) form.set('subOrgId', subOrgId)
  if (connectionId) form.set('connectionId', connectionId)
  const step = steps[intent]
  if (!step) return START
  // `redirect` throws too, and that is not a refusal.
  return step().catch((error: unknown) => ({ ...retried(previous), problem: problemOf(error) }))
}

/** After a wrong code, the person can type it again. */
const retried = (previous: Step): Step => (['code', 'factor'].includes(previous.name) ? previous : START)

/** The address decides: single sign-on if its domain has it, and otherwise a mailed code. */
async function identify(email: string): Promise<Step> {
  const client = await forThisRequest()
  const { connections, enforced } = await client.login.sso.discover({ email })
  if (connections.length === 0 && !enforced) return sendCode(email)
  await keepAttempt({ email })
  const choices = connections.flatMap(({ id, subOrgId, name }) =>
    subOrgId === null ? [] : [{ subOrgId, name, connectionId: id, needsSso: true }],
  )
  return { name: 'sso', choices, isRequired: enforced }
}

async function sendCode(typed: string): Promise<Step> {
  const email = typed || ((await readAttempt()).email ?? '')
  const { otp_id: otpId } = await (await forThisRequest()).discovery.otp.send({ email })
  await keepAttempt({ email, otpId })
  return { name: 'code', email }
}

async function verify(code: string): Promise<Step> {
  const { email = '', otpId = '' } = await readAttempt()
  const client = await forThisRequest()
  const found = await client.discovery.otp.verify({ email, otp_id: otpId, code })
  const choices = choicesOf(found.organizations)
  await keepAttempt({ email, discoveryToken: found.discovery_token })
  const [only, ...others] = choices
  if (only && others.length === 0 && !only.needsSso) return enter(only.subOrgId, found.discovery_token)
  return { name: 'organizations', choices }
}

async function startSso(subOrgId: string, connectionId: string): Promise<Step> {
  const { email } = await readAttempt()
  const client = await forThisRequest()
  const { authorization_url, state } = await client.login.sso.start({
    subOrgId,
    connectionId,
    redirectUri: `${origin}/login/callback`,
    response_mode: 'code',
    login_hint: email,
  })
  // Only the browser with this cookie can complete the sign-in in the callback.
  await keepAttempt({ state })
  redirect(authorization_url)
}

async function proveFactor(code: string): Promise<Step> {
  const { challenge } = await readAttempt()
  if (!challenge) return START
  const client = await forThisRequest()
  const subOrgId = challenge.subOrgId ?? undefined
  return proceed(await client.mfa.challenge.verify({ subOrgId, challenge_token: challenge.token, code }))
}

export async function signOut(): Promise<void> {
  const { error } = await auth.end()
  // The browser is signed out. The session at Watchword ends later by itself.
  if (error) console.error(error)
  redirect('/login')
}
