import { readPlaces } from '../../../platform/events/event-places.ts'
import { systemOrigin } from '../../../platform/events/events.ts'
import { forEachPart } from '../../../platform/jobs/parts.ts'
import type { JobHandler } from '../../../platform/jobs/queue.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../../platform/mail/outbox.ts'
import type { Platform } from '../../../platform/platform.ts'
import { findDirectory } from '../../../platform/tenancy/directory.ts'
import type { TxWork } from '../../../platform/work.ts'
import { IMPERSONATION, sessionEvents } from '../../access/sessions/sessions.ts'
import { mailboxProved } from '../../directory/users/proof/proof.ts'
import { findUserForUpdate } from '../../directory/users/users.ts'
import { hashDevice } from './device.ts'
import { deviceSettings } from './settings.ts'
import { type Cursor, moveCursor, provideCursors, putDevice, type SignIn, selectSignIns, touchKnown } from './store.ts'
import { newDeviceNotice } from './unknown-sign-in.ts'

// Events read at a time.
const EVENTS = 1000
/**
 * Limits mails for one user in a day, so that a program that changes its name for each sign-in cannot fill a mailbox.
 */
const MAX_MAILS = 10

/** Mails users who have signed in from a new device. */
export const noticeNewDevices: JobHandler = {
  name: 'devices.notice',
  cron: '* * * * *',
  async handle(platform) {
    await noticeDevices(platform)
  },
}

/**
 * Processes the sign-ins of every environment since the last run, so that a sign-in itself does no extra work. If two
 * processes handle the same sign-in, or one of them crashes, the device's row ensures that only one mail is sent.
 */
export async function noticeDevices(platform: Platform): Promise<void> {
  await forEachPart(
    await provideCursors(platform.db),
    ({ environmentId }) => environmentId,
    (cursor) => noticeInEnvironment(platform, cursor),
  )
}

async function noticeInEnvironment(platform: Platform, { environmentId, position }: Cursor): Promise<void> {
  const { db } = platform
  const type = sessionEvents.created.type
  for (let after = position, isMore = true; isMore; ) {
    const { places, end, hasMore } = await readPlaces(db, { environmentId, withConsole: true }, after, EVENTS)
    if (places.some((place) => place.type === type)) {
      const begun = { type, actingMethod: IMPERSONATION }
      await recordDevices(platform, await selectSignIns(db, { environmentId, position: after }, end, begun))
    }
    if (places.length) await moveCursor(db, { environmentId, position: end })
    after = end
    isMore = hasMore
  }
}

async function recordDevices(platform: Platform, signIns: SignIn[]): Promise<void> {
  // Sessions ended by the first proof of the mailbox may belong to another person.
  const own = signIns.filter(({ endedFor }) => endedFor !== mailboxProved)
  for (const [directoryId, group] of Map.groupBy(own, (signIn) => signIn.directoryId)) {
    const directory = await findDirectory(platform, directoryId)
    if (!directory) continue
    const sightings = group.map((signIn) => ({ ...signIn, hash: hashDevice(platform, signIn.userId, signIn) }))
    const unknown = await platform.tx((tx) => touchKnown(tx, directory, sightings))
    for (const [place, sighting] of sightings.entries())
      if (unknown.has(place))
        await platform.tx((db) => recordDevice({ platform, directory, origin: systemOrigin(), db }, sighting))
  }
}

/** Stores a device and notifies its user, unless it is the user's first known device. */
async function recordDevice(work: TxWork, sighting: SignIn & { hash: Buffer }): Promise<void> {
  const user = await findUserForUpdate(work, sighting.userId)
  // An unproved address may belong to a stranger.
  if (!user?.email_verified) return
  const { isNew, isFirst, newOfDay } = await putDevice(work.db, work.directory, { ...sighting, userId: user.id })
  if (!isNew || isFirst || newOfDay >= MAX_MAILS) return
  if (!(await deviceSettings.effective(work)).notify_new_device) return
  await queueMail(work, await newDeviceNotice(work, user, sighting), NOTICE_USEFUL_SECONDS)
}
