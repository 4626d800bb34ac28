import type { TestApp } from '../../../../test/harness.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import { getWorkIn } from '../../../../test/work.ts'
import { hashIdentity } from '../../../platform/crypto/identity.ts'
import { inTx } from '../../../platform/work.ts'
import type { UserRecords } from '../../directory/users/sample.ts'
import { getUser } from '../../directory/users/users.ts'
import { issueLink } from '../links/links.ts'
import { undoPurpose } from './undo.ts'

export interface UndoRecords {
  ids: { undoLink: string }
}

/** Makes the undo link of a change of address, without the change. */
export async function makeRecords(app: TestApp, { directoryId, ids }: Start & UserRecords): Promise<UndoRecords> {
  const { platform } = app.app
  const work = await getWorkIn(platform, directoryId)
  const { email_norm: norm } = await getUser(work, ids.user)
  const link = { purpose: undoPurpose, userId: ids.user, identity: hashIdentity(platform, norm), ttlSeconds: 3600 }
  return { ids: { undoLink: (await inTx(work, (work) => issueLink(work, link))).token } }
}

/** Calls with an API key. Calls by users themselves are in `ownSamples`. */
export const samples: Samples = {
  'POST /v1/auth/email/undo': ({ ids, email }) => ({ body: { email, token_hash: ids.undoLink } }),
}
