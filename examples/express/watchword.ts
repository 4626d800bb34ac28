import type { Request } from 'express'

/** Where the service is. */
export const url = process.env['WATCHWORD_URL'] ?? 'http://localhost:4000'
const key = process.env['WATCHWORD_KEY']
if (!key) throw new Error('Set WATCHWORD_KEY to an org-wide API key of Watchword.')

export interface Session {
  access_token: string
  refresh_token: string
  expires_in: number
  refresh_expires_in: number
}

/** What a sign-in, a second step and a refresh answer: a session, or the challenge that is to be passed first. */
export interface Answer {
  session: Session | null
  challenge_token?: string
  methods?: string[]
  enrollment_required?: boolean
}

/** A refusal (RFC 9457). `code` is stable. */
export class Refusal extends Error {
  readonly status: number
  readonly problem: { code: string; detail: string; methods?: string[]; retry_after?: number }
  constructor(status: number, problem: Refusal['problem']) {
    super(problem.detail)
    this.status = status
    this.problem = problem
  }
}

/** Calls as this backend, by its API key. Throws a `Refusal`, or another error where the backend itself is refused. */
export async function callAsBackend<T>(
  method: string,
  path: string,
  body?: object,
  person: Record<string, string> = {},
): Promise<T> {
  try {
    return await send<T>(method, path, body, { 'x-api-key': key ?? '', ...person })
  } catch (error) {
    // Of the key, and none of the person's business: nothing that they have is over.
    if (error instanceof Refusal && /^(api_key_|insufficient_scope$|sub_org_mismatch$)/.test(error.problem.code))
      throw new Error(`Watchword refuses this backend: ${error.problem.code}`)
    throw error
  }
}

/** The same for the person whose browser sent a request, from which limits, locks and mails about new devices go. */
export function callFor<T>(req: Request, path: string, body: object): Promise<T> {
  const [ip, userAgent] = [req.ip, req.get('user-agent')]
  return callAsBackend('POST', path, body, {
    ...(ip ? { 'x-end-user-ip': ip } : {}),
    ...(userAgent ? { 'x-end-user-agent': userAgent } : {}),
  })
}

/** Calls as the person whom the access token belongs to. Throws a `Refusal`. */
export function callAsPerson<T>(accessToken: string, method: string, path: string, body?: object): Promise<T> {
  return send(method, path, body, { authorization: `Bearer ${accessToken}` })
}

async function send<T>(method: string, path: string, body: object | undefined, headers: Record<string, string>) {
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(10_000),
  })
  const answer = await response.text()
  if (!response.ok) throw new Refusal(response.status, JSON.parse(answer))
  const parsed: T = JSON.parse(answer)
  return parsed
}
