import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieOptions, Request, RequestHandler, Response } from 'express'
import { createRemoteJWKSet, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import {
  type Answer,
  callAsBackend,
  callAsPerson,
  callFor,
  type Named,
  nameOfUser,
  type Person,
  Refusal,
  url,
} from './watchword.ts'

/** Where browsers find this application. */
export const origin = process.env['ORIGIN'] ?? `http://localhost:${process.env['PORT'] ?? 3000}`

// The issuer of the first account's production is the address of the service, and the audience the id of the account.
const issuer = process.env['WATCHWORD_ISSUER'] ?? url
const audience =
  process.env['WATCHWORD_AUDIENCE'] ??
  (await callAsBackend<{ accountId: string }>('GET', '/api-keys/current')).accountId
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))

const secure = origin.startsWith('https:')
const cookie: CookieOptions = { httpOnly: true, sameSite: 'lax', secure, path: '/' }
type Name = 'access' | 'refresh' | 'attempt'
/** No other host of the domain can set a cookie of this name. */
const nameOf = (name: Name) => (secure ? `__Host-${name}` : name)

function setCookie(res: Response, name: Name, value: string, seconds: number): void {
  res.cookie(nameOf(name), value, { ...cookie, maxAge: seconds * 1000 })
}

function readCookie(req: Request, name: Name): string {
  const start = `${nameOf(name)}=`
  const pair = req.headers.cookie?.split('; ').find((pair) => pair.startsWith(start))
  return pair?.slice(start.length) ?? ''
}

export function forget(res: Response, which: readonly Name[] = ['access', 'refresh', 'attempt']): void {
  for (const name of which) res.clearCookie(nameOf(name), cookie)
}

/** A sign-in under way. Only the browser that began it can finish it. */
export interface Attempt {
  email?: string
  /** Of the mailed code. */
  otpId?: string
  /** Proof of the mailbox, or of a passkey of several organizations. */
  discovery?: string
  /** The organization that is being entered. */
  subOrgId?: string
  /** Of single sign-on: what the browser must bring back. */
  state?: string
  /** Of a second factor, with its user. */
  challenge?: string
  userId?: string
}

const ATTEMPT_SECONDS = 600
// Signed, so that a browser cannot put another user into it. Several processes need one COOKIE_SECRET.
const secret = process.env['COOKIE_SECRET'] ?? randomBytes(32)
const sign = (text: string) => createHmac('sha256', secret).update(text).digest()

export function keepAttempt(res: Response, attempt: Attempt): void {
  const until = Date.now() + ATTEMPT_SECONDS * 1000
  const text = Buffer.from(JSON.stringify({ attempt, until })).toString('base64url')
  setCookie(res, 'attempt', `${text}.${sign(text).toString('base64url')}`, ATTEMPT_SECONDS)
}

/** The sign-in that this browser began. Empty if there is none, or it took too long. */
export function readAttempt(req: Request): Attempt {
  const [text = '', given = ''] = readCookie(req, 'attempt').split('.')
  const [expected, signature] = [sign(text), Buffer.from(given, 'base64url')]
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return {}
  const { attempt, until }: { attempt: Attempt; until: number } = JSON.parse(Buffer.from(text, 'base64url').toString())
  return until > Date.now() ? attempt : {}
}

/** Signs the browser in. The refresh needs the organization too, so the cookie has both. */
export function keepSession(res: Response, session: NonNullable<Answer['session']>): void {
  const subOrgId = decodeJwt(session.access_token)['org_id']
  setCookie(res, 'access', session.access_token, session.expires_in)
  setCookie(res, 'refresh', `${subOrgId}.${session.refresh_token}`, session.refresh_expires_in)
  forget(res, ['attempt'])
}

function readRefresh(req: Request): [subOrgId: string, token: string] {
  const [subOrgId = '', ...token] = readCookie(req, 'refresh').split('.')
  return [subOrgId, token.join('.')]
}

// Simultaneous requests share one refresh. Later ones with the old cookie, or at another process, get the same new tokens
// from Watchword, for refresh_reuse_interval_seconds.
const underWay = new Map<string, Promise<Answer>>()

function refresh(req: Request, subOrgId: string, token: string): Promise<Answer> {
  const body = { subOrgId, refresh_token: token }
  const answer =
    underWay.get(token) ?? callFor<Answer>(req, '/auth/token/refresh', body).finally(() => underWay.delete(token))
  underWay.set(token, answer)
  return answer
}

/** The claims of an access token, or null if another service issued it, or it has expired. Throws if the keys are unavailable. */
async function check(token: string): Promise<JWTPayload | null> {
  try {
    return (await jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt', clockTolerance: 5 })).payload
  } catch (error) {
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) throw error
    return null
  }
}

/** Refusals of a refresh after which only a new sign-in helps. After all others the cookies are still good. */
const OVER = [
  'refresh_token_invalid',
  'refresh_token_reused',
  'user_inactive',
  'user_locked',
  'organization_suspended',
  'sso_required',
]

async function accessToken(req: Request, res: Response): Promise<string> {
  const token = readCookie(req, 'access')
  if (token && (await check(token))) return token
  const [subOrgId, refreshToken] = readRefresh(req)
  if (!refreshToken) throw new Refusal(401, { code: 'not_signed_in', detail: 'Sign in first.' })
  const { session } = await refresh(req, subOrgId, refreshToken).catch((error: unknown) => {
    if (error instanceof Refusal && OVER.includes(error.problem.code)) {
      forget(res)
      throw new Refusal(401, { code: 'not_signed_in', detail: 'Sign in again.' })
    }
    throw error
  })
  // Without a session a second factor is required by now: a new sign-in asks for it.
  if (!session || !(await check(session.access_token)))
    throw new Refusal(401, { code: 'not_signed_in', detail: 'Sign in again.' })
  keepSession(res, session)
  return session.access_token
}

interface Me extends Named {
  id: string
  subOrgId: string
  role: string
}

/** Lets people pass who are signed in. Watchword looks the session up, so an ended session and an old role open nothing. */
export const signedIn: RequestHandler = async (req, res, next) => {
  const token = await accessToken(req, res)
  const { user, organization } = await callAsPerson<{ user: Me; organization: { name: string } }>(token, 'GET', '/me')
  const { id, subOrgId, email, role } = user
  const person: Person = { id, subOrgId, organization: organization.name, email, name: nameOfUser(user), role }
  Object.assign(res.locals, { token, person })
  next()
}

/** Lets administrators of a customer pass. Behind `signedIn`. */
export const adminsOnly: RequestHandler = (_req, res, next) => {
  if (personOf(res).role !== 'admin')
    throw new Refusal(403, { code: 'admins_only', detail: 'Only administrators of your organization see this page.' })
  next()
}

export const personOf = (res: Response): Person => res.locals['person']
export const tokenOf = (res: Response): string => res.locals['token']

/** Ends the session, and forgets it here whatever becomes of the request. */
export async function signOut(req: Request, res: Response): Promise<void> {
  const [, refresh_token] = readRefresh(req)
  forget(res)
  if (refresh_token) await callFor(req, '/auth/token/revoke', { refresh_token })
}
