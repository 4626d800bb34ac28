import type { Request } from 'express'

/** A field of a form. */
export function read(req: Request, name: string): string {
  const value: unknown = req.body?.[name]
  return typeof value === 'string' ? value.trim() : ''
}

/** The response of an authenticator, as public/passkey.js sends it. Watchword refuses an empty or made-up response. */
export function readPasskey(req: Request) {
  try {
    const { challengeId, credential } = JSON.parse(read(req, 'answer'))
    return { challengeId, credential }
  } catch {
    return { challengeId: '', credential: {} as never }
  }
}
