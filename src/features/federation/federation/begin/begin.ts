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
  /** Where the browser goes in the end. */
  redirectUri: string
  /** `query`: with the tokens; `code`: with a code that the application's backend exchanges for them. */
  responseMode: 'query' | 'code'
  /** Whether an unknown person may sign up; null: as the settings say. */
  openSignup: boolean | null
  /** Ends in a trace instead of a session. */
  isTest: boolean
  /** Whether the provider must ask for credentials again, even from a user who is signed in there. */
  forceAuthn: boolean
  beganAt: Date
  /** What the browser brings back, and the application compares. */
  state: string
  nonce: string
  /** RFC 7636 */
  codeVerifier: string
}

// Time to sign in at the provider, with a second factor and a forgotten password.
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
 * A sign-in that began at the provider and is there already, on its way to the home of the organization with a code. Null
 * if there is no home. The application has no state to compare this one with.
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

/** What a route without a caller has. */
export type BareWork = Pick<Work, 'platform' | 'origin' | 'db'>

/**
 * The sign-in of a state that a browser brings back, which is consumed thereby. Null when the state is made up, which
 * costs no statement, or used, too old, or of another method.
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

/** The same of a state that is not consumed yet, and stays so. */
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

/** The directory of a state or code of ours; null for a made-up one, which costs no statement. */
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
