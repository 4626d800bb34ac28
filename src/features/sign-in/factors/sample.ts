import { randomUUID } from 'node:crypto'
import type { TestApp } from '../../../../test/harness.ts'
import { codeOf, makeProvenUser, plantTotp, sentSmsCode, succeeded } from '../../../../test/people/factors.ts'
import type { Start } from '../../../../test/people/records.ts'
import type { Samples } from '../../../../test/walkers/samples.ts'
import { getWorkIn } from '../../../../test/work.ts'
import { inTx } from '../../../platform/work.ts'
import type { UserRecords } from '../../directory/users/sample.ts'
import { confirmPhone, insertPendingPhone } from './phone-store.ts'

/** `factorUser` has an app and a phone. `pendingUser` is enrolling an app, and got `smsCode` to enroll a phone. */
export interface FactorRecords {
  factorEmail: string
  factorSecret: string
  pendingSecret: string
  smsCode: string
  ids: { factorUser: string; pendingUser: string; pendingTotp: string }
}

const PHONE = '+14155550123'

export async function makeRecords(app: TestApp, { scoped, directoryId }: Start & UserRecords): Promise<FactorRecords> {
  succeeded(await scoped.patch('/v1/otp/settings', { sms_allowed_countries: ['US'] }))
  succeeded(await scoped.patch('/v1/mfa/policy', { allowed_methods: ['totp', 'backup', 'sms'] }))
  const [owner, waiting] = [await makeProvenUser(scoped), await makeProvenUser(scoped)]
  const phone = { userId: owner.id, id: randomUUID(), phone: PHONE, codeHash: Buffer.alloc(0), ttlSeconds: 600 }
  const work = await getWorkIn(app.app.platform, directoryId)
  await inTx(work, async ({ db, directory }) => {
    await insertPendingPhone(db, directory, phone)
    await confirmPhone(db, directory, owner.id, phone.id)
  })
  const totp = await plantTotp(app, work.directory, owner.id, true)
  const pending = await plantTotp(app, work.directory, waiting.id, false)
  succeeded(await scoped.post('/v1/mfa/sms', { userId: waiting.id, phone: PHONE }))
  return {
    factorEmail: owner.email,
    factorSecret: totp.secret,
    pendingSecret: pending.secret,
    smsCode: await sentSmsCode(app, PHONE),
    ids: { factorUser: owner.id, pendingUser: waiting.id, pendingTotp: pending.id },
  }
}

// The code of the next time step is accepted too, and no test has used it yet.
export const samples: Samples = {
  'GET /v1/mfa/totp': ({ ids }) => ({ query: { userId: ids.factorUser } }),
  'POST /v1/mfa/totp': ({ ids }) => ({ body: { userId: ids.user } }),
  'PUT /v1/mfa/totp': ({ ids, pendingSecret }) => ({
    body: { userId: ids.pendingUser, pendingId: ids.pendingTotp, code: codeOf(pendingSecret, 1) },
  }),
  'DELETE /v1/mfa/totp': ({ ids }) => ({ query: { userId: ids.factorUser }, body: { userId: ids.factorUser } }),
  'POST /v1/mfa/totp/backup-codes': ({ ids }) => ({ body: { userId: ids.factorUser } }),
  'POST /v1/mfa/sms': ({ ids }) => ({ body: { userId: ids.user, phone: '+14155550124' } }),
  'PUT /v1/mfa/sms': ({ ids, smsCode }) => ({ body: { userId: ids.pendingUser, code: smsCode } }),
  'DELETE /v1/mfa/sms': ({ ids }) => ({ query: { userId: ids.factorUser } }),
}
