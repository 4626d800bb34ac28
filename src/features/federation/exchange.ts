import { newId } from '../../platform/ids.ts'
import type { Work } from '../../platform/work.ts'
import { assertDoorOpen, assertMaySignIn, completeLogin, type SessionReply } from '../login/login.ts'
import { type Tie, writeTie } from '../ties/ties.ts'
import { directoryOf } from './begin.ts'
import { federationErrors } from './errors.ts'
import { hashToken, makeToken } from './state.ts'
import { codeProof, identityProof, insertCodeRow, type ShownCode, shownCode } from './store.ts'

const CODE_SECONDS = 60

/** What a provider has proved of a user. */
export interface FederatedProof {
  userId: string
  method: string
  /** The id of the connection, or the name of the provider. */
  source: string
  amr: string[]
  aal: 'aal1' | 'aal2'
  tie: Tie
}

/** A code by which the backend of the application gets the session of a sign-in at a provider. */
export async function makeExchangeCode(
  work: Work,
  { userId, method, source, amr, aal, tie }: FederatedProof,
): Promise<string> {
  const { keyring } = work.platform
  const code = makeToken(keyring, work.directory)
  await insertCodeRow(work.db, work.directory, {
    id: newId(),
    code_hash: hashToken(keyring, 'code', code),
    user_id: userId,
    auth_method: method,
    source,
    amr,
    aal,
    identity_id: tie.identityId,
    logout_sealed: tie.logoutSealed,
    name_hash: tie.nameHash,
    provider_session_hash: tie.sessionHash,
    ttlSeconds: CODE_SECONDS,
  })
  return code
}

/** Exchanges a code for the session, once. Throws `code_invalid`, and what the door throws. */
export async function exchangeCode(work: Work, code: string): Promise<SessionReply> {
  const { platform, directory } = work
  if ((await directoryOf(work, code))?.id !== directory.id) throw federationErrors.codeInvalid()
  const { person, read } = await assertDoorOpen(
    work,
    null,
    shownCode({ code_hash: hashToken(platform.keyring, 'code', code) }),
  )
  if (!person || read.code_id === null || read.code_identity === null) throw federationErrors.codeInvalid()
  await assertMaySignIn(work, person)
  const answer = await completeLogin(work, person, {
    method: { id: read.code_method },
    amr: read.code_amr,
    ...(read.code_aal === 'aal2' ? { aal: 'aal2' } : {}),
    spends: [
      codeProof({ code_id: read.code_id }),
      identityProof({ identity_id: read.code_identity, identity_email: null }),
    ],
    beside: [await writeTie(work, tieOf(read, read.code_identity))],
  })
  if (!answer) throw federationErrors.codeInvalid()
  return answer
}

function tieOf(
  { code_logout: logoutSealed, code_name: nameHash, code_session: sessionHash }: ShownCode,
  identityId: string,
): Tie {
  return { identityId, logoutSealed, nameHash, sessionHash }
}
