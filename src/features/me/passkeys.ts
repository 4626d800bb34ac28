import { changedFrom, record } from '../../platform/events.ts'
import { inTx } from '../../platform/work.ts'
import {
  findNamed,
  type Passkey,
  passkeyErrors,
  passkeyEvents,
  setDeviceName,
  toPasskey,
} from '../passkeys/passkeys.ts'
import { holdOwn, type OwnWork } from './freshness.ts'

/** Gives a passkey of the caller another name; null: that of the authenticator. Throws `passkey_not_found`. */
export function renameOwnPasskey(work: OwnWork, which: string, name: string | null): Promise<Passkey> {
  return inTx(work, async (work) => {
    const user = await holdOwn(work)
    const passkey = await findNamed(work, which, user.id)
    if (!passkey) throw passkeyErrors.notFound()
    const before = toPasskey(passkey, user)
    const data = toPasskey(await setDeviceName(work.db, work.directory, passkey.id, name), user)
    const target = { type: 'passkey', id: data.id }
    if (data.deviceName !== before.deviceName)
      await record(work, passkeyEvents.updated({ target, data, previous: changedFrom(before, data) }))
    return data
  })
}
