import type { Request, RequestHandler } from 'express'
import { origin } from './session.ts'
import { Refusal } from './watchword.ts'

/**
 * Against CSRF: a request that changes something must come from a page of this application. Browsers send the origin with
 * each, and the cookies are SameSite=Lax.
 */
export const ownPagesOnly: RequestHandler = (req, _res, next) => {
  if (!['GET', 'HEAD'].includes(req.method) && req.get('origin') !== origin)
    throw new Refusal(403, { code: 'other_origin', detail: `Send this from a page of ${origin}.` })
  next()
}

/** A field of a form. */
export function read(req: Request, name: string): string {
  const value: unknown = req.body?.[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** The answer of an authenticator, as public/passkey.js sends it. */
export function readPasskey(req: Request): { challengeId?: unknown; credential?: unknown } {
  try {
    const { challengeId, credential } = JSON.parse(read(req, 'answer'))
    return { challengeId, credential }
  } catch {
    throw new Refusal(400, { code: 'invalid_request', detail: 'The form has no answer of an authenticator.' })
  }
}
