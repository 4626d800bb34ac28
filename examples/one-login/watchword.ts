import type { Request } from 'express'

/** Where the service is. */
export const url = process.env['WATCHWORD_URL'] ?? 'http://localhost:4000'
const key = process.env['WATCHWORD_KEY']
if (!key) throw new Error('Set WATCHWORD_KEY to an org-wide API key of Watchword.')

interface Session {
  access_token: string
  refresh_token: string
  expires_in: number
  refresh_expires_in: number
}

/** An organization that a person may enter. */
export interface Found {
  subOrgId: string
  name: string
  requires: string | null
  connection_id: string | null
}

/** The answer of every sign-in: a session, the challenge of a second factor, or organizations to choose from. */
export interface Answer {
  session: Session | null
  challenge_token?: string
  directory_user_id?: string
  /** The organization of the challenge. */
  sub_org_id?: string
  methods?: string[]
  enrollment_required?: boolean
  discovery_token?: string
  organizations?: Found[]
}

/** A refusal (RFC 9457). `code` is stable. */
export class Refusal extends Error {
  readonly status: number
  readonly problem: { code: string; detail: string; connection_id?: string | null }
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
  headers: Record<string, string> = {},
): Promise<T> {
  try {
    return await send<T>(method, path, body, { 'x-api-key': key ?? '', ...headers })
  } catch (error) {
    // The fault of the key. The person's session is still good.
    if (error instanceof Refusal && /^(api_key_|insufficient_scope$|sub_org_mismatch$)/.test(error.problem.code))
      throw new Error(`Watchword refuses this backend: ${error.problem.code}`)
    throw error
  }
}

/** The address and program of the person, for limits, locks and mails about new devices. */
function endUser(req: Request): Record<string, string> {
  const [ip, userAgent] = [req.ip, req.get('user-agent')]
  return { ...(ip ? { 'x-end-user-ip': ip } : {}), ...(userAgent ? { 'x-end-user-agent': userAgent } : {}) }
}

/** Calls for a person who is signing in. */
export function callFor<T>(req: Request, path: string, body: object, method = 'POST'): Promise<T> {
  return callAsBackend(method, path, body, endUser(req))
}

/** The person who is signed in, as Watchword describes them now. */
export interface Person {
  id: string
  subOrgId: string
  /** The name of the organization. */
  organization: string
  email: string
  name: string
  role: string
}

export interface Named {
  email: string
  displayName: string | null
  firstName: string | null
  lastName: string | null
}

/** What to call a user. Directories and identity providers often give no `displayName`. */
export const nameOfUser = ({ displayName, firstName, lastName, email }: Named): string =>
  displayName || [firstName, lastName].filter(Boolean).join(' ') || email

/** Calls for an administrator. The headers put their name into the audit log of the customer. */
export function callOnBehalfOf<T>(
  req: Request,
  person: Person,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  return callAsBackend(method, path, body, {
    ...endUser(req),
    'x-actor-id': person.id,
    'x-actor-name': encodeURIComponent(person.name),
  })
}

/** Calls as the owner of the access token. Throws a `Refusal`. */
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
