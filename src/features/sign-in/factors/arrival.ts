import { ApiError } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import type { Belonging } from '../../../platform/lifecycle/belongings.ts'
import { requireService } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { aboutUser, assertMethodAllowed } from '../../access/mfa/mfa.ts'
import { factorEvents } from './events.ts'
import { insertConfirmedTotps } from './store.ts'
import { readTotpSecret } from './totp.ts'
import { sealTotpSecret } from './totp-secret.ts'

/** Imports the authenticator app of an imported user as confirmed, without backup codes. */
export const totpArrival: NonNullable<Belonging['arrival']> = {
  read(_work, fields) {
    const text = secretTextOf(fields)
    if (text === null) return 'nothing'
    return readTotpSecret(text) === null ? { invalid: 'totpSecret' } : 'something'
  },
  refuse: findRefusal,
  async store(work, arrivals) {
    const apps = arrivals.flatMap(({ userId, fields }) => {
      const secret = readTotpSecret(secretTextOf(fields) ?? '')
      return secret === null ? [] : [{ userId, id: newId(), secret }]
    })
    const rows = apps.map(async ({ userId, id, secret }) => ({
      userId,
      id,
      secretSealed: await sealTotpSecret(work, id, secret),
    }))
    await insertConfirmedTotps(work.db, work.directory, await Promise.all(rows))
    return apps.map(({ userId }) => factorEvents.enrolled(aboutUser(userId, { method: 'totp' })))
  },
}

function secretTextOf(fields: object): string | null {
  const text: unknown = Reflect.get(fields, 'totpSecret')
  return typeof text === 'string' ? text : null
}

/** Returns the reason why users may not enroll an app here themselves, or null. */
async function findRefusal(work: Work): Promise<ApiError | null> {
  try {
    await requireService(work, 'mfa')
    await assertMethodAllowed(work, 'totp')
    return null
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
