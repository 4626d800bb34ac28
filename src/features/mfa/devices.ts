import { record } from '../../platform/events.ts'
import { isId } from '../../platform/ids.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { type DeviceRow, forgetDevice, listDevices } from '../factors/factors.ts'
import { getUser } from '../users/users.ts'
import { mfaErrors } from './errors.ts'
import { aboutDevice, mfaEvents } from './events.ts'

const LONGEST_TRUST_DAYS = 90

/** The trusted devices of a user, newest first. Throws `user_not_found`. */
export async function listDevicesOf(work: Work, userId: string): Promise<DeviceRow[]> {
  const user = await getUser(work, userId)
  return listDevices(work, user.id, LONGEST_TRUST_DAYS)
}

/** Removes a device: its next sign-in requires the second factor. Throws `trusted_device_not_found`. */
export async function forgetDeviceOf(work: Work, which: string): Promise<void> {
  const id = which.toLowerCase()
  await inTx(work, async (work) => {
    const device = isId(id) ? await forgetDevice(work, id) : undefined
    if (!device) throw mfaErrors.trustedDeviceNotFound()
    await record(work, mfaEvents.trustedDeviceRemoved(aboutDevice(device)))
  })
}
