import type { CookieOptions, Request, RequestHandler, Response } from 'express'
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose'
import { type Answer, callAsBackend, callFor, Refusal, url } from './watchword.ts'

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
/** What a sign-in under way needs: of the browser that asked for the code alone (SECURITY.md, 7). */
const ofSignIn = ['otp', 'discovery', 'challenge'] as const
const names = ['access', 'refresh', ...ofSignIn] as const
type Name = (typeof names)[number]
/** No other host of the domain can set a cookie of this name. */
const nameOf = (name: Name) => (secure ? `__Host-${name}` : name)

/** Keeps what scripts of the page are not to see. */
export function setCookie(res: Response, name: Name, value: string, seconds: number): void {
  res.cookie(nameOf(name), value, { ...cookie, maxAge: seconds * 1000 })
}

/** A cookie of this application; tokens and ids need no decoding. */
export function readCookie(req: Request, name: Name): string | null {
  const start = `${nameOf(name)}=`
  const pair = req.headers.cookie?.split('; ').find((pair) => pair.startsWith(start))
  return pair?.slice(start.length) || null
}

export function forget(res: Response, which: readonly Name[] = names): void {
  for (const name of which) res.clearCookie(nameOf(name), cookie)
}

/** Answers what a sign-in has answered: signed in, or what the page has to ask for next. */
export function answerSignIn(res: Response, subOrgId: string, answer: Answer): void {
  const { session, challenge_token: challenge, methods = [], enrollment_required: enroll = false } = answer
  if (session) {
    setCookie(res, 'access', session.access_token, session.expires_in)
    setCookie(res, 'refresh', `${subOrgId}.${session.refresh_token}`, session.refresh_expires_in)
    forget(res, ofSignIn)
    res.json({ signedIn: true })
    return
  }
  if (challenge) setCookie(res, 'challenge', `${subOrgId}.${challenge}`, 300)
  res.json({ signedIn: false, methods, enroll })
}

/** The organization and the secret in a cookie. */
export function split(value: string | null): [subOrgId: string, secret: string] {
  const at = value?.indexOf('.') ?? -1
  return value && at > 0 ? [value.slice(0, at), value.slice(at + 1)] : ['', '']
}

// Requests that come at the same time share one refresh. Those that come a moment later with the old cookie, or at
// another process, get the same new tokens from Watchword, for refresh_reuse_interval_seconds.
const underWay = new Map<string, Promise<Answer>>()

function refresh(req: Request, subOrgId: string, token: string): Promise<Answer> {
  const body = { subOrgId, refresh_token: token }
  const answer =
    underWay.get(token) ?? callFor<Answer>(req, '/auth/token/refresh', body).finally(() => underWay.delete(token))
  underWay.set(token, answer)
  return answer
}

/** The claims of an access token, or null if it is not one of ours, or is over. Throws if the keys cannot be had. */
async function check(token: string | null): Promise<JWTPayload | null> {
  if (token === null) return null
  try {
    // Two machines never have quite the same time.
    return (await jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt', clockTolerance: 5 })).payload
  } catch (error) {
    if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError)) throw error
    return null
  }
}

/** The refusals of a refresh after which only a new sign-in helps. Others may pass, and the cookies are still good. */
const OVER = ['refresh_token_invalid', 'refresh_token_reused', 'user_inactive', 'user_locked', 'sso_required']

/** Lets only people who are signed in pass; `res.locals` then has `token` and its `claims`. */
export const signedIn: RequestHandler = async (req, res, next) => {
  const token = readCookie(req, 'access')
  const claims = await check(token)
  if (claims) {
    Object.assign(res.locals, { token, claims })
    next()
    return
  }
  const [subOrgId, refreshToken] = split(readCookie(req, 'refresh'))
  if (!refreshToken) throw new Refusal(401, { code: 'not_signed_in', detail: 'Sign in first.' })
  const { session } = await refresh(req, subOrgId, refreshToken).catch((error: unknown) => {
    if (error instanceof Refusal && OVER.includes(error.problem.code)) forget(res)
    throw error
  })
  const renewed = session ? await check(session.access_token) : null
  if (!session || !renewed)
    // A second factor is required meanwhile: a new sign-in asks for it.
    throw new Refusal(401, { code: 'not_signed_in', detail: 'Sign in again.' })
  setCookie(res, 'access', session.access_token, session.expires_in)
  setCookie(res, 'refresh', `${subOrgId}.${session.refresh_token}`, session.refresh_expires_in)
  Object.assign(res.locals, { token: session.access_token, claims: renewed })
  next()
}
