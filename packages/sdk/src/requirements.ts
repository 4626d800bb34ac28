import { hasBrand } from './errors.ts'
import type { ActiveSession } from './sessions.ts'

/** What a request needs of the session that it comes from. */
export interface Requirements {
  /** Permissions that the user must have, all of them. */
  permission?: string | readonly string[] | undefined
  /** The longest time since the user signed in or stepped up, in seconds. Impersonation sessions are never recent. */
  recent?: number | undefined
}

const FORBIDDEN: unique symbol = Symbol.for('watchword.forbidden')

/** The session does not suffice for the request. Answer it with 403, and after `step_up_required` let the user step up. */
export class ForbiddenError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is ForbiddenError {
    return hasBrand(value, FORBIDDEN)
  }

  override readonly name = 'ForbiddenError'
  readonly [FORBIDDEN] = true
  readonly code: 'permission_missing' | 'step_up_required'
  /** With `step_up_required`: the longest time since the user signed in or stepped up, in seconds. Otherwise null. */
  readonly withinSeconds: number | null

  constructor(code: ForbiddenError['code'], message: string, withinSeconds: number | null = null) {
    super(message)
    this.code = code
    this.withinSeconds = withinSeconds
  }
}

/** Throws a {@link ForbiddenError} if the session lacks a permission, or if the user signed in or stepped up too long ago. */
export function assertAllowed(session: ActiveSession, requirements: Requirements): void {
  checkRequirements(requirements)
  const { permission = [], recent } = requirements
  const missing = [permission].flat().filter((one) => !session.claims.permissions.includes(one))
  if (missing.length > 0) throw new ForbiddenError('permission_missing', `The user lacks ${missing.join(', ')}.`)
  // Who acts for a user in an impersonation session has proved nothing of them. Without a time, it is not recent.
  const isRecent = session.claims.act === undefined && session.authAge <= Number(recent)
  if (recent !== undefined && !isRecent)
    throw new ForbiddenError('step_up_required', `The user must have stepped up within ${recent} s.`, recent)
}

const NAMES = ['permission', 'recent']

/** Throws a TypeError for a requirement that would let every session pass, such as one with a misspelt name. */
export function checkRequirements(requirements: Requirements): void {
  const unknown = Object.keys(requirements).find((name) => !NAMES.includes(name))
  if (unknown !== undefined) throw new TypeError(`\`${unknown}\` is no requirement. Use \`permission\` or \`recent\`.`)
  const { permission, recent } = requirements
  const permissions = [permission].flat()
  const isEmpty = permissions.length === 0 || permissions.some((one) => typeof one !== 'string' || one === '')
  if ('permission' in requirements && isEmpty) throw new TypeError('`permission` is empty.')
  if ('recent' in requirements && !(Number.isFinite(recent) && Number(recent) > 0))
    throw new TypeError('`recent` is a number of seconds above 0.')
}
