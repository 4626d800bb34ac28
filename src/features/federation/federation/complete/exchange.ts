import { newId } from '../../../../platform/ids.ts'
import type { Platform } from '../../../../platform/platform.ts'
import {
  accountDirectory,
  type Directory,
  type EnvironmentRef,
  findNamedDirectory,
} from '../../../../platform/tenancy/directory.ts'
import type { Work } from '../../../../platform/work.ts'
import { type FederatedSession, insertFederatedSession } from '../../../access/federated-sessions/federated-sessions.ts'
import {
  assertDoorOpen,
  assertMaySignIn,
  assertProviderServed,
  completeLogin,
  type SessionReply,
} from '../../../access/login/login.ts'
import { directoryOf, hashToken, makeToken } from '../begin/begin.ts'
import { federationErrors } from '../errors.ts'
import { codeProof, type FederatedProof, identityProof, insertCodeRow, type ShownCode, shownCode } from '../store.ts'

const CODE_SECONDS = 60

/**
 * Creates a code that the application's backend exchanges for the session of a sign-in at a provider. Returns null if
 * the user's sign-ins were stopped meanwhile.
 */
export async function makeExchangeCode(
  { platform, db, directory }: Work,
  proof: FederatedProof,
): Promise<string | null> {
  const code = makeToken(platform.keyring, directory)
  const made = { id: newId(), hash: hashToken(platform.keyring, 'code', code), seconds: CODE_SECONDS }
  return (await insertCodeRow(db, directory, proof, made)) ? code : null
}

/**
 * The directory in a code: of an organization of the caller's environment, or the environment's account level for a
 * social sign-in without an organization. Throws `code_invalid` for any other directory.
 */
export async function organizationOfCode(
  platform: Platform,
  environment: EnvironmentRef,
  code: string,
): Promise<Directory> {
  const named = await directoryOf({ platform }, code)
  const shared = await accountDirectory(platform, environment)
  if (named?.id === shared.id) return shared
  const found = named && (await findNamedDirectory(platform, environment, named.id))
  if (!found) throw federationErrors.codeInvalid()
  return found
}

/** The person's names were stored when the code was created. */
const UNNAMED = {
  identity_email: null,
  identity_ids: null,
  identity_names: null,
  identity_principals: null,
  identity_address: null,
}

/**
 * Exchanges a code for the session, once. Throws `code_invalid`, `service_disabled`, and what `completeLogin` throws.
 */
export async function exchangeCode(work: Work, code: string): Promise<SessionReply> {
  const { platform, directory } = work
  if ((await directoryOf(work, code))?.id !== directory.id) throw federationErrors.codeInvalid()
  const { person, read } = await assertDoorOpen(
    work,
    null,
    shownCode({ code_hash: hashToken(platform.keyring, 'code', code) }),
  )
  if (!person || read.code_id === null || read.code_identity === null) throw federationErrors.codeInvalid()
  await assertProviderServed(work, read.code_method)
  await assertMaySignIn(work, person)
  const answer = await completeLogin(work, person, {
    method: { id: read.code_method },
    amr: read.code_amr,
    ...(read.code_aal === 'aal2' ? { aal: 'aal2' } : {}),
    spends: [codeProof({ code_id: read.code_id }), identityProof({ ...UNNAMED, identity_id: read.code_identity })],
    beside: [await insertFederatedSession(work, federatedSessionOf(read, read.code_identity))],
    sessionEndsAt: read.code_session_end,
    connectionId: read.code_connection,
  })
  if (!answer) throw federationErrors.codeInvalid()
  return answer
}

function federatedSessionOf(
  {
    code_logout: logoutSealed,
    code_name: nameHash,
    code_session: sessionHash,
    code_session_end: sessionEndsAt,
  }: ShownCode,
  identityId: string,
): FederatedSession {
  return { identityId, logoutSealed, nameHash, sessionHash, sessionEndsAt }
}
