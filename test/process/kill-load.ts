import { decodeJwt } from 'jose'
import { stepAt, totpCode } from '../../src/features/sign-in/factors/totp.ts'
import type { Caller, Reply } from '../harness.ts'

/** How many callers do each of these over and over, with a new person each time. */
const CALLERS = { code: 6, link: 6, challenge: 4 }
export type ProofKind = keyof typeof CALLERS
const CALLER_KINDS = ['code', 'link', 'challenge'] as const

/** For how long a refresh token may be sent again: the longest that can be set. */
export const REUSE_SECONDS = 60

/** What a service has been asked and has acknowledged: from this follows what must be there after a kill. */
export interface Journal {
  organizations: string[]
  users: string[]
  /** Codes of the generator, which have not been presented. */
  otps: { id: string; code: string }[]
  proofs: Proof[]
  sessions: KnownSession[]
}

export function emptyJournal(): Journal {
  return { organizations: [], users: [], otps: [], proofs: [], sessions: [] }
}

/** A one-time secret that the service issued. Each person has at most one of a kind. */
export interface Proof {
  kind: ProofKind
  person: Person
  /** What it is presented with; a code is not in it until it is known. */
  body: Record<string, string>
  /** Presented: without an answer so far, so it may have been accepted or not. */
  state: 'issued' | 'presented' | 'accepted'
}

interface Person {
  subOrgId: string
  userId: string
  email: string
  /** Of their authenticator app, if they have one, and the step whose code confirmed it. */
  app: { secret: string; step: number } | null
}

export interface KnownSession {
  id: string
  subOrgId: string
  accessToken: string
  refreshToken: string
  /** When a refresh was asked for that has had no answer. */
  askedAt: number | null
}

/** How to reach a service, and the mails that it sends. */
export interface Access {
  api: Caller
  /** The code in the newest mail to an address. */
  readCode(email: string): Promise<string>
}

const verifyPaths: Record<ProofKind, string> = {
  code: '/v1/auth/login/otp/verify',
  link: '/v1/auth/login/magic-link/verify',
  challenge: '/v1/mfa/challenge/verify',
}

/** People who sign in until the service is gone. */
export interface Load {
  /** Whether something has failed as it must not. */
  isStuck(): boolean
  /** Begins no new sign-in, and expects from now on that requests fail. Returns what failed nevertheless as it must not. */
  end(): Promise<string[]>
}

/** Lets people sign in by code, by link and with a second factor, and notes in the journal what is acknowledged. */
export function startLoad(access: Access, journal: Journal, name: string): Load {
  const state = { ending: false, faults: [] as string[] }
  const callers = CALLER_KINDS.flatMap((kind) =>
    Array.from({ length: CALLERS[kind] }, async (_, index) => {
      try {
        for (let n = 0; !state.ending; n++)
          await unlessBusy(() => signIn(access, journal, { kind, name: `${name}-${kind}-${index}-${n}` }))
      } catch (error) {
        // A broken connection, which fetch reports as a TypeError: what was not acknowledged was not promised.
        const isOfKill = error instanceof TypeError || error instanceof Interrupted
        if (!state.ending || !isOfKill) state.faults.push(`${kind}: ${error instanceof Error ? error.message : error}`)
      }
    }),
  )
  return {
    isStuck: () => state.faults.length > 0,
    async end() {
      state.ending = true
      await Promise.all(callers)
      return state.faults
    },
  }
}

/** The service answered that it cannot answer now. */
export class Interrupted extends Error {
  /** It asked to come again, since too many passwords wait: on a slow machine, without a fault. */
  readonly isBusy: boolean

  constructor({ status, text, headers }: Pick<Reply, 'status' | 'text' | 'headers'>) {
    super(`${status} ${text}`)
    this.isBusy = status === 503 && headers.has('retry-after')
  }
}

async function unlessBusy(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Interrupted) || !error.isBusy) throw error
  }
}

/** The body of a success. Throws `Interrupted` after a 5xx. */
function bodyOf(reply: Reply) {
  if (reply.status >= 500) throw new Interrupted(reply)
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`)
  return reply.body
}

/** Makes a person, signs them in and refreshes the session. Throws `Interrupted` after a 5xx, and where a good proof is refused. */
export async function signIn(
  access: Access,
  journal: Journal,
  { kind, name }: { kind: ProofKind; name: string },
): Promise<void> {
  const { api } = access
  const person = await makePerson(api, journal, { name, hasApp: kind === 'challenge' })
  const { otp_id: id, code } = bodyOf(await api.post('/v1/otp/generate', {}))
  journal.otps.push({ id, code })
  const first = kind === 'code' ? await sendCode(api, person) : await sendLink(api, person)
  journal.proofs.push(first)
  const challenge = await accept(access, journal, first)
  if (challenge) await accept(access, journal, challenge)
  const session = journal.sessions.findLast(({ subOrgId }) => subOrgId === person.subOrgId)
  if (session) await refresh(api, session)
}

async function accept(access: Access, journal: Journal, proof: Proof): Promise<Proof | null> {
  const { status, challenge } = await present(access, journal, proof)
  if (status !== 200) throw new Error(`a good ${proof.kind} of ${proof.person.email} was refused with ${status}`)
  return challenge
}

/** A person in an organization of their own; without an app, one whose mailbox has not been proved. */
export async function makePerson(api: Caller, journal: Journal, { name, hasApp }: { name: string; hasApp: boolean }) {
  const subOrgId: string = bodyOf(await api.post('/v1/organizations', { name, slug: name })).subOrganization.id
  journal.organizations.push(subOrgId)
  const email = `${name}@example.com`
  const users = [{ email, emailVerified: hasApp }]
  const userId: string = bodyOf(await api.put('/v1/users', { subOrgId, users })).created[0].id
  journal.users.push(userId)
  const person: Person = { subOrgId, userId, email, app: null }
  if (!hasApp) return person
  const { pendingId, secret } = bodyOf(await api.post('/v1/mfa/totp', { subOrgId, userId }))
  const step = stepAt(Date.now() / 1000)
  bodyOf(await api.put('/v1/mfa/totp', { subOrgId, userId, pendingId, code: totpCode(secret, step) }))
  return { ...person, app: { secret, step } }
}

export async function sendCode(api: Caller, person: Person): Promise<Proof> {
  const { subOrgId, email } = person
  const { otp_id } = bodyOf(await api.post('/v1/auth/login/otp/send', { subOrgId, email }))
  return { kind: 'code', person, body: { subOrgId, email, otp_id }, state: 'issued' }
}

/** The answer carries the link instead of a mail. */
async function sendLink(api: Caller, person: Person): Promise<Proof> {
  const { subOrgId, email } = person
  const { url } = bodyOf(await api.post('/v1/auth/login/magic-link/send', { subOrgId, email, deliver: false }))
  const token_hash = new URL(url).searchParams.get('token_hash') ?? ''
  return { kind: 'link', person, body: { subOrgId, email, token_hash }, state: 'issued' }
}

/** Presents a proof and notes what is answered. */
export async function present(
  access: Access,
  journal: Journal,
  proof: Proof,
): Promise<{ status: number; challenge: Proof | null }> {
  const { kind, person } = proof
  if (kind === 'code') proof.body['code'] ??= await access.readCode(person.email)
  if (kind === 'challenge' && proof.state !== 'accepted') proof.body['code'] = nextCode(person)
  if (proof.state === 'issued') proof.state = 'presented'
  const reply = await access.api.post(verifyPaths[kind], proof.body)
  if (reply.status >= 500) throw new Interrupted(reply)
  if (reply.status !== 200) return { status: reply.status, challenge: null }
  proof.state = 'accepted'
  const { session, challenge_token } = reply.body
  if (session) {
    const { access_token: accessToken, refresh_token: refreshToken } = session
    const id = String(decodeJwt(accessToken)['sid'])
    journal.sessions.push({ id, subOrgId: person.subOrgId, accessToken, refreshToken, askedAt: null })
    return { status: 200, challenge: null }
  }
  const body = { subOrgId: person.subOrgId, challenge_token }
  const challenge: Proof = { kind: 'challenge', person, body, state: 'issued' }
  journal.proofs.push(challenge)
  return { status: 200, challenge }
}

/** The code that the app shows now, or the next one if this one has confirmed the app. */
function nextCode({ app }: Person): string {
  if (!app) throw new Error('A challenge of somebody without an app')
  return totpCode(app.secret, Math.max(app.step + 1, stepAt(Date.now() / 1000)))
}

/** Exchanges the refresh token of a session for its successor. */
export async function refresh(api: Caller, session: KnownSession): Promise<void> {
  const { subOrgId, refreshToken } = session
  session.askedAt ??= Date.now()
  const answer = bodyOf(await api.post('/v1/auth/token/refresh', { subOrgId, refresh_token: refreshToken }))
  session.accessToken = answer.session.access_token
  session.refreshToken = answer.session.refresh_token
  session.askedAt = null
}

/** The code that was mailed to an address, as a person reads it at /dev/mail. */
export async function readDevelopmentCode(api: Caller, email: string): Promise<string> {
  const list = await readPage(api, '/dev/mail')
  const row = list.split('<li ').find((text) => text.includes(email) && text.includes('href=')) ?? ''
  const link = /href="([^"]+)"/.exec(row)?.[1]
  const mail = link ? await readPage(api, link) : ''
  const code = /^([a-z]+ [a-z]+)$/m.exec(mail)?.[1]
  if (!code) throw new Error(`No code was mailed to ${email}`)
  return code
}

async function readPage(api: Caller, path: string): Promise<string> {
  const reply = await api.get(path)
  if (reply.status >= 500) throw new Interrupted(reply)
  return reply.text
}
