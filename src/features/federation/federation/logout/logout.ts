import type { Redirect } from '../../../../platform/http/answer.ts'
import { newId } from '../../../../platform/ids.ts'
import type { Directory } from '../../../../platform/tenancy/directory.ts'
import type { Work } from '../../../../platform/work.ts'
import { findFederatedSession } from '../../../access/federated-sessions/federated-sessions.ts'
import { type BareWork, directoryOf, hashToken, makeToken } from '../begin/begin.ts'
import { LOGOUT_FAILURES, type LogoutFailureCode } from '../errors.ts'
import { redirectToUri } from '../redirect-to-app.ts'
import { findSignInRow, insertSignInRow, type SignInRow, takeSignInRow } from '../store.ts'

/** A logout at a provider that is in progress. The session here has already ended. */
export interface Logout {
  /** The id of the connection. */
  source: string
  /** The application's address, where the browser goes at the end. */
  redirectUri: string
  /** The state to return to the application. */
  applicationState: string | null
  /** The state that the browser brings back from the provider. */
  state: string
}

/** A logout, with the data from the sign-in that the provider needs. */
export interface LogoutDemand extends Logout {
  issuer: string
  /** Its form depends on the protocol. */
  hint: string
}

/**
 * Returns the address where the browser signs out at the provider. Null if the provider has none, or cannot be used
 * any more.
 */
type ProviderLogout = (work: Work, demand: LogoutDemand) => Promise<string | null>

// Enough time to answer a confirmation at the provider.
const TTL_SECONDS = 600

/** Begins the logout at the provider that an ended session came from. Returns the address for the browser, or null. */
export async function beginLogout(
  work: Work,
  { sessionId, ...asked }: Pick<Logout, 'redirectUri' | 'applicationState'> & { sessionId: string },
  logOut: ProviderLogout,
): Promise<string | null> {
  const { platform, directory, db } = work
  const federated = await findFederatedSession(work, sessionId)
  if (federated?.method !== 'sso' || federated.hint === null) return null
  const { source, issuer, hint } = federated
  const state = makeToken(platform.keyring, directory)
  const url = await logOut(work, { ...asked, source, state, issuer, hint })
  if (url === null) return null
  await insertSignInRow(db, directory, {
    id: newId(),
    state_hash: hashToken(platform.keyring, 'state', state),
    method: 'sso_logout',
    source,
    redirect_uri: asked.redirectUri,
    response_mode: 'query',
    session_id: sessionId,
    application_state: asked.applicationState,
    ttlSeconds: TTL_SECONDS,
  })
  return url
}

/**
 * Returns the logout of a state that a browser brings back, and uses the state up. Null for the same reasons as
 * `takeFederated`.
 */
export async function takeLogout(bare: BareWork, state: string): Promise<{ work: Work; logout: Logout } | null> {
  const { platform, db } = bare
  const directory = await directoryOf(bare, state)
  const stateHash = hashToken(platform.keyring, 'state', state)
  const row = directory && (await takeSignInRow(db, directory, { stateHash, method: 'sso_logout' }))
  return directory && row ? { work: { ...bare, directory }, logout: toLogout(row, state) } : null
}

/** Returns the logout of a state without using the state up, with the data from the sign-in. */
export async function findLogout(
  bare: BareWork,
  state: string,
): Promise<{ directory: Directory; demand: LogoutDemand } | null> {
  const { platform, db } = bare
  const directory = await directoryOf(bare, state)
  const row = directory && (await findSignInRow(db, directory, hashToken(platform.keyring, 'state', state)))
  if (!directory || row?.method !== 'sso_logout' || row.session_id === null) return null
  const federated = await findFederatedSession({ ...bare, directory }, row.session_id)
  if (!federated || federated.hint === null) return null
  return { directory, demand: { ...toLogout(row, state), issuer: federated.issuer, hint: federated.hint } }
}

function toLogout({ source, redirect_uri, application_state }: SignInRow, state: string): Logout {
  return { source, redirectUri: redirect_uri, applicationState: application_state, state }
}

/** Sends the browser to the application. Throws `invalid_redirect_uri` if its address is no longer allowed. */
export async function endLogout(
  work: Work,
  { redirectUri, applicationState }: Logout,
  code: LogoutFailureCode | null,
): Promise<Redirect> {
  return redirectToUri(work, redirectUri, {
    ...(code === null ? {} : { error: code, error_description: LOGOUT_FAILURES[code] }),
    ...(applicationState === null ? {} : { state: applicationState }),
  })
}
