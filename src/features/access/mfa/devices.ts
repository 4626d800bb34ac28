import { record } from '../../../platform/events/events.ts'
import { wholeList } from '../../../platform/http/pagination.ts'
import { isId } from '../../../platform/ids.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { maySkipByDevice, type Subject } from './demand.ts'
import { type DeviceRow, forgetDevice, insertDevice, listDevices } from './device-store.ts'
import { makeDeviceToken } from './device-token.ts'
import { mfaErrors } from './errors.ts'
import { aboutDevice, mfaEvents } from './events.ts'
import { policyOf } from './policy.ts'
import { type DeviceOwner, type DevicesReply, toTrustedDevice } from './schema.ts'
import { trustedDeviceSettings } from './settings.ts'

const LONGEST_TRUST_DAYS = 90

/** The trusted devices of a user, newest first. */
export async function listDevicesOf(work: Work, user: DeviceOwner): Promise<DevicesReply> {
  const rows = await listDevices(work.db, work.directory, user.id, LONGEST_TRUST_DAYS)
  return { devices: rows.map((row) => toTrustedDevice(row, user)), ...wholeList }
}

/**
 * Removes a trusted device, so that its next sign-in requires the second factor. If `ownerId` is given, the device must
 * belong to this user. Throws `trusted_device_not_found`.
 */
export async function forgetDeviceOf(work: Work, which: string, ownerId: string | null = null): Promise<void> {
  const id = which.toLowerCase()
  await inTx(work, async (work) => {
    const device = isId(id) ? await forgetDevice(work.db, work.directory, id, ownerId) : undefined
    if (!device) throw mfaErrors.trustedDeviceNotFound()
    await record(work, mfaEvents.trustedDeviceRemoved(aboutDevice(device)))
  })
}

/**
 * Trusts the device of a sign-in with both factors. Returns null if a trusted device may not replace this user's
 * second factor.
 */
export async function trustDeviceOf(
  work: TxWork,
  subject: Subject,
): Promise<{ token: string; expiresAt: Date } | null> {
  const settings = await trustedDeviceSettings.effective(work)
  if (!maySkipByDevice(await policyOf(work), subject, settings)) return null
  const { token, row } = await trustDevice(work, {
    userId: subject.user_id,
    userAgent: work.origin.endUser.userAgent,
    days: settings.trusted_device_days,
  })
  await record(work, mfaEvents.trustedDeviceAdded(aboutDevice(row)))
  return { token, expiresAt: row.expires_at }
}

/** Trusts a device of a user for `days`. The token is shown only once. */
export async function trustDevice(
  { platform, directory, db }: TxWork,
  device: { userId: string; userAgent: string | null; days: number },
): Promise<{ token: string; row: DeviceRow }> {
  const { token, hash } = makeDeviceToken(platform, device.userId)
  return { token, row: await insertDevice(db, directory, { ...device, tokenHash: hash }) }
}
