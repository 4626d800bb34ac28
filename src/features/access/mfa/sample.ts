import type { TestApp } from '../../../../test/harness.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import { getWorkIn } from '../../../../test/work.ts'
import { inTx } from '../../../platform/work.ts'
import type { UserRecords } from '../../directory/users/sample.ts'
import type { FactorRecords } from '../../sign-in/factors/sample.ts'
import { trustDevice } from './devices.ts'

/** A device that `factorUser` trusts. */
export interface MfaRecords {
  ids: { trustedDevice: string }
}

export async function makeRecords(
  app: TestApp,
  { directoryId, ids }: Start & UserRecords & FactorRecords,
): Promise<MfaRecords> {
  const device = await inTx(await getWorkIn(app.app.platform, directoryId), (work) =>
    trustDevice(work, { userId: ids.factorUser, userAgent: null, days: 30 }),
  )
  return { ids: { trustedDevice: device.row.id } }
}

export const samples: Samples = {
  'GET /v1/mfa/policy': () => ({}),
  'PATCH /v1/mfa/policy': () => ({ body: { require_mfa: true, enforce_for_roles: ['admin'] } }),
  'PATCH /v1/mfa/policy/defaults': () => ({ body: { grace_period_days: 14 } }),
  'GET /v1/mfa/policy/preview': () => ({ query: { require_mfa: 'true', enforce_for_roles: 'admin,member' } }),
  'GET /v1/mfa/trusted-devices': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'DELETE /v1/mfa/trusted-devices/{id}': ({ ids }) => ({ params: { id: ids.trustedDevice } }),
}

export const orgWideOnly = ['PATCH /v1/mfa/policy/defaults']
