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

// Of events at a time.
const EVENTS = 1000
/** Of a user in a day: a program that calls itself something else each time fills no mailbox. */
const MAX_MAILS = 10

/** Mails people who have signed in from a device that is new to them. */
export const noticeNewDevices: JobHandler = {
  name: 'devices.notice',
  cron: '* * * * *',
  async handle(platform) {
    await noticeDevices(platform)
  },
}

/**
 * Looks at the sign-ins of every environment, from where that ended the last time: nothing is added to a sign-in itself.
 * Where two processes look at the same ones, or one dies in between, the row of a device decides that there is one mail.
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

/** Notes a device, and tells its user, unless it is the first that they are seen with. */
async function recordDevice(work: TxWork, sighting: SignIn & { hash: Buffer }): Promise<void> {
  const user = await findUserForUpdate(work, sighting.userId)
  // An unproved address may belong to a stranger.
  if (!user?.email_verified) return
  const { isNew, isFirst, newOfDay } = await putDevice(work.db, work.directory, { ...sighting, userId: user.id })
  if (!isNew || isFirst || newOfDay >= MAX_MAILS) return
  if (!(await deviceSettings.effective(work)).notify_new_device) return
  await queueMail(work, await newDeviceNotice(work, user, sighting), NOTICE_USEFUL_SECONDS)
}
