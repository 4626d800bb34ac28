import { newId } from '../../../../platform/ids.ts'
import { type Directory, findDirectory } from '../../../../platform/tenancy/directory.ts'
import type { Work } from '../../../../platform/work.ts'
import { assertRedirectAllowed, defaultRedirect } from '../../../access/redirects/redirects.ts'
import { findSignInRow, insertSignInRow, type SignInRow, takeSignInRow } from '../store.ts'
import { directoryOfToken, hashToken, makeToken, secretsOf } from './state.ts'

export { hashToken, makeToken } from './state.ts'

export type FederatedMethod = 'sso' | 'social'

/** A sign-in that began here and continues at a provider. */
export interface Begun {
  id: string
  method: FederatedMethod
  /** The id of the connection, or the name of the provider. */
  source: string
  /** The application's address, where the browser goes at the end. */
  redirectUri: string
  /**
   * Whether the browser gets the tokens (`query`), or a code that the application's backend exchanges for them
   * (`code`).
   */
  responseMode: 'query' | 'code'
  /** Whether an unknown person may sign up. Null: the settings decide. */
  openSignup: boolean | null
  /** A test ends with a trace instead of a session. */
  isTest: boolean
  /** Whether the provider must ask for credentials again, even if the user is signed in there. */
  forceAuthn: boolean
  beganAt: Date
  /** The browser brings it back, and the application compares it. */
  state: string
  nonce: string
  /** PKCE (RFC 7636) */
  codeVerifier: string
}

// Enough time to sign in at the provider, even with a second factor or a forgotten password.
const TTL_SECONDS = 600

/** Begins a sign-in at a provider. Throws `invalid_redirect_uri`. */
export async function beginFederated(
  work: Work,
  input: Pick<Begun, 'method' | 'source' | 'redirectUri' | 'responseMode'> & {
    openSignup?: boolean | null
    isTest?: boolean
    forceAuthn?: boolean
    ttlSeconds?: number
  },
): Promise<Begun> {
  const { platform, directory, db } = work
  const { ttlSeconds = TTL_SECONDS, openSignup = null, isTest = false, forceAuthn = false, ...said } = input
  await assertRedirectAllowed(work, said.redirectUri)
  const [id, state] = [newId(), makeToken(platform.keyring, directory)]
  const beganAt = await insertSignInRow(db, directory, {
    id,
    state_hash: hashToken(platform.keyring, 'state', state),
    method: said.method,
    source: said.source,
    redirect_uri: said.redirectUri,
    response_mode: said.responseMode,
    open_signup: openSignup,
    is_test: isTest,
    force_authn: forceAuthn,
    ttlSeconds,
  })
  return { ...said, id, openSignup, isTest, forceAuthn, beganAt, state, ...secretsOf(platform.keyring, state) }
}

/**
 * Represents a sign-in that began at the provider: the response has already arrived, and the browser goes on to the
 * organization's default redirect URI with a code. Null if the organization has no such URI. The application does not
 * know this state, so it cannot compare it.
 */
export async function beginUnsolicited(work: Work, source: string): Promise<Begun | null> {
  const { platform, directory } = work
  const redirectUri = await defaultRedirect(work)
  if (redirectUri === null) return null
  const state = makeToken(platform.keyring, directory)
  const said = { method: 'sso', source, redirectUri, responseMode: 'code', openSignup: null, isTest: false } as const
  const asked = { forceAuthn: false, beganAt: new Date(0) }
  return { ...said, ...asked, id: newId(), state, ...secretsOf(platform.keyring, state) }
}

/** The work of a route without a caller. */
export type BareWork = Pick<Work, 'platform' | 'origin' | 'db'>

/**
 * Returns the sign-in of a state that a browser brings back, and uses the state up. Null if the state is made up,
 * used, expired, or of another method. A made-up state costs no statement.
 */
export async function takeFederated(
  { platform, origin, db }: BareWork,
  state: string,
  method: FederatedMethod,
): Promise<{ work: Work; begun: Begun } | null> {
  const directory = await directoryOf({ platform }, state)
  const stateHash = hashToken(platform.keyring, 'state', state)
  const row = directory && (await takeSignInRow(db, directory, { stateHash, method }))
  if (!directory || !row) return null
  return { work: { platform, origin, db, directory }, begun: toBegun({ platform }, row, { state, method }) }
}

/** Returns the sign-in of a state without using the state up. */
export async function findFederated(
  { platform, db }: Pick<BareWork, 'platform' | 'db'>,
  state: string,
  method: FederatedMethod,
): Promise<{ directory: Directory; begun: Begun } | null> {
  const directory = await directoryOf({ platform }, state)
  const row = directory && (await findSignInRow(db, directory, hashToken(platform.keyring, 'state', state)))
  return directory && row?.method === method
    ? { directory, begun: toBegun({ platform }, row, { state, method }) }
    : null
}

/** The directory in a state or code. Null if this service did not make the token, which costs no statement. */
export async function directoryOf({ platform }: Pick<Work, 'platform'>, token: string): Promise<Directory | null> {
  const id = directoryOfToken(platform.keyring, token)
  return id === null ? null : findDirectory(platform, id)
}

function toBegun(
  { platform }: Pick<Work, 'platform'>,
  row: SignInRow,
  { state, method }: Pick<Begun, 'state' | 'method'>,
): Begun {
  return {
    id: row.id,
    method,
    source: row.source,
    redirectUri: row.redirect_uri,
    responseMode: row.response_mode,
    openSignup: row.open_signup,
    isTest: row.is_test,
    forceAuthn: row.force_authn,
    beganAt: row.created_at,
    state,
    ...secretsOf(platform.keyring, state),
  }
}
