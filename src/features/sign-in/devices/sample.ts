import type { TestApp } from '../../../../test/harness.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import { getWorkIn } from '../../../../test/work.ts'
import { hashIdentity } from '../../../platform/crypto/identity.ts'
import { newId } from '../../../platform/ids.ts'
import { inTx } from '../../../platform/work.ts'
import type { UserRecords } from '../../directory/users/sample.ts'
import { getUser } from '../../directory/users/users.ts'
import { issueLink } from '../links/links.ts'
import { unknownSignInPurpose } from './unknown-sign-in.ts'

export interface DeviceRecords {
  ids: { unknownSignInLink: string }
}

/** Makes the link of a mail about a new device, without the sign-in that it reports. */
export async function makeRecords(app: TestApp, { directoryId, ids }: Start & UserRecords): Promise<DeviceRecords> {
  const { platform } = app.app
  const work = await getWorkIn(platform, directoryId)
  const { email_norm: norm } = await getUser(work, ids.user)
  const link = {
    purpose: unknownSignInPurpose,
    userId: ids.user,
    identity: hashIdentity(platform, norm),
    ttlSeconds: 3600,
    details: { session_id: newId(), device: 'AAAA' },
  }
  return { ids: { unknownSignInLink: (await inTx(work, (work) => issueLink(work, link))).token } }
}

export const samples: Samples = {
  'POST /v1/auth/devices/disown': ({ ids, email }) => ({ body: { email, token_hash: ids.unknownSignInLink } }),
}
