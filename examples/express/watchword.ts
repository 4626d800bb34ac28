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

/** Calls as this backend, by its API key. `ip` is the address of the person for whom. Throws a `Refusal`. */
export function callAsBackend<T>(method: string, path: string, body?: object, ip?: string): Promise<T> {
  return send(method, path, body, { 'x-api-key': key ?? '', ...(ip ? { 'x-end-user-ip': ip } : {}) })
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
