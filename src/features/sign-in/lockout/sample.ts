import type { TestApp } from '../../../../test/harness.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import { getWorkIn } from '../../../../test/work.ts'
import { hashIdentity } from '../../../platform/crypto/identity.ts'
import { inTx } from '../../../platform/work.ts'
import type { UserRecords } from '../../directory/users/sample.ts'
import { getUser } from '../../directory/users/users.ts'
import { issueLink } from '../links/links.ts'
import { unlockPurpose } from './unlock.ts'

export interface UnlockRecords {
  ids: { unlockLink: string }
}

/** Makes the link of a mail about a lock, without the many wrong passwords that cause a lock. */
export async function makeRecords(app: TestApp, { directoryId, ids }: Start & UserRecords): Promise<UnlockRecords> {
  const { platform } = app.app
  const work = await getWorkIn(platform, directoryId)
  const { email_norm: norm } = await getUser(work, ids.user)
  const link = {
    purpose: unlockPurpose,
    userId: ids.user,
    identity: hashIdentity(platform, norm),
    ttlSeconds: 3600,
  }
  return { ids: { unlockLink: (await inTx(work, (work) => issueLink(work, link))).token } }
}

export const samples: Samples = {
  'POST /v1/users/{userId}/lock': ({ ids }) => ({
    params: { userId: ids.user },
    body: { reason: 'Laptop stolen', until: '2099-01-01T00:00:00.000Z' },
  }),
  'POST /v1/users/{userId}/unlock': ({ ids }) => ({ params: { userId: ids.user } }),
  'POST /v1/auth/unlock': ({ ids, email }) => ({ body: { email, token_hash: ids.unlockLink } }),
}
