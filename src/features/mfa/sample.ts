import { randomUUID } from 'node:crypto'
import { makeProvenUser, sentSmsCode, succeeded } from '../../../test/factors.ts'
import type { TestApp } from '../../../test/harness.ts'
import type { Start } from '../../../test/records.ts'
import type { Samples } from '../../../test/samples.ts'
import { getWorkIn } from '../../../test/work.ts'
import { inTx } from '../../platform/work.ts'
import { confirmPhone, insertPendingPhone, trustDevice } from '../factors/factors.ts'
import type { UserRecords } from '../users/sample.ts'

/** `factorUser` has a phone and a trusted device; `pendingUser` was sent `smsCode` for a phone. */
export interface MfaRecords {
  factorEmail: string
  smsCode: string
  ids: { factorUser: string; trustedDevice: string; pendingUser: string }
}

const PHONE = '+14155550123'

export async function makeRecords(app: TestApp, { scoped, directoryId }: Start & UserRecords): Promise<MfaRecords> {
  succeeded(await scoped.patch('/v1/otp/settings', { sms_allowed_countries: ['US'] }))
  succeeded(await scoped.patch('/v1/mfa/policy', { allowed_methods: ['totp', 'backup', 'sms'] }))
  const [owner, waiting] = [await makeProvenUser(scoped), await makeProvenUser(scoped)]
  const phone = { userId: owner.id, id: randomUUID(), phone: PHONE, codeHash: Buffer.alloc(0), ttlSeconds: 600 }
  const device = await inTx(await getWorkIn(app.app.platform, directoryId), async (work) => {
    await insertPendingPhone(work.db, work.directory, phone)
    await confirmPhone(work.db, work.directory, owner.id, phone.id)
    return trustDevice(work, { userId: owner.id, userAgent: null, days: 30 })
  })
  succeeded(await scoped.post('/v1/mfa/sms', { userId: waiting.id, phone: PHONE }))
  return {
    factorEmail: owner.email,
    smsCode: await sentSmsCode(app, PHONE),
    ids: { factorUser: owner.id, trustedDevice: device.row.id, pendingUser: waiting.id },
  }
}

export const samples: Samples = {
  'GET /v1/mfa/policy': () => ({}),
  'PATCH /v1/mfa/policy': () => ({ body: { require_mfa: true, enforce_for_roles: ['admin'] } }),
  'GET /v1/mfa/policy/preview': () => ({ query: { require_mfa: 'true', enforce_for_roles: 'admin,member' } }),
  'POST /v1/mfa/sms': ({ ids }) => ({ body: { userId: ids.user, phone: '+14155550124' } }),
  'PUT /v1/mfa/sms': ({ ids, smsCode }) => ({ body: { userId: ids.pendingUser, code: smsCode } }),
  'DELETE /v1/mfa/sms': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'GET /v1/mfa/trusted-devices': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'DELETE /v1/mfa/trusted-devices/{id}': ({ ids }) => ({ params: { id: ids.trustedDevice } }),
}
