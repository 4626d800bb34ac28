import { type ErrorFactory, httpErrors } from '../errors.ts'
import type { Route } from '../http/route.ts'
import type { Callers } from './caller.ts'

/** What the contract says about a kind of caller. */
interface CallerKind {
  /** Part of the names in the contract for sets of refusals that these routes share. */
  name: string
  /** The OpenAPI security schemes of the caller's credential. Each alone suffices. */
  securitySchemes: Record<string, { type: string; [field: string]: string }>
  /** Schemes of a second credential that may accompany the first. */
  accompanying?: string[]
  /** Errors that the caller's authenticator throws, and those of the second credential. */
  errors: ErrorFactory[]
}

export const callerKinds: Record<keyof Callers, CallerKind> = {
  key: {
    name: 'Key',
    securitySchemes: {
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'X-API-Key',
        description: 'The credential of your backend. Never send it to a browser.',
      },
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The API key, or the access token of a member of the team.',
      },
    },
    errors: [
      httpErrors.apiKeyMissing,
      httpErrors.apiKeyInvalid,
      httpErrors.apiKeyExpired,
      httpErrors.apiKeyIpNotAllowed,
      httpErrors.credentialConflict,
      httpErrors.environmentNotFound,
    ],
  },
  user: {
    name: 'User',
    securitySchemes: {
      accessToken: { type: 'http', scheme: 'bearer', description: 'The access token of an end user.' },
    },
    accompanying: ['apiKey'],
    errors: [
      httpErrors.accessTokenMissing,
      httpErrors.accessTokenInvalid,
      httpErrors.impersonationReadOnly,
      // Of the API key that may accompany the token.
      httpErrors.apiKeyMissing,
      httpErrors.apiKeyInvalid,
      httpErrors.apiKeyExpired,
      httpErrors.apiKeyIpNotAllowed,
      httpErrors.apiKeyMismatch,
    ],
  },
  scim: {
    name: 'Scim',
    securitySchemes: {
      scimToken: { type: 'http', scheme: 'bearer', description: 'The SCIM token of an organization.' },
    },
    errors: [httpErrors.scimTokenMissing, httpErrors.scimTokenInvalid],
  },
}

/** The kind of a route's caller, or null if the route authenticates no caller. */
export function callerKindOf({ auth }: Pick<Route, 'auth'>): CallerKind | null {
  return auth === 'public' || auth === 'page' ? null : callerKinds[auth]
}
