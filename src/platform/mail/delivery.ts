import { type Directory, findDirectory } from '../http/directory.ts'
import { isId } from '../ids.ts'
import type { JobHandler } from '../jobs/queue.ts'
import { type Platform, perPlatform } from '../platform.ts'
import { enqueueSending, SEND_MAIL } from './outbox.ts'
import { MailFailure, openMailServer } from './smtp.ts'
import { deleteMail, findWaitingMail, noteFailedTry, type OpenedMail } from './waiting.ts'

/** Sends one mail of the outbox; at least once, and not at all when its row is gone. */
export const sendMail: JobHandler = {
  name: SEND_MAIL,
  async handle(platform, { directoryId, id }) {
    if (typeof directoryId !== 'string' || typeof id !== 'string' || !isId(id)) return
    const directory = await findDirectory(platform, directoryId)
    const mail = directory && (await findWaitingMail(platform, directory, id))
    if (!mail) return
    if (mail.decoy || mail.expired) {
      await deleteMail(platform.db, directory, id)
      if (!mail.decoy) platform.metrics.mail.inc({ result: 'expired' })
      return
    }
    await deliver(platform, directory, mail)
  },
}

/** Ends the connections to the mail server. */
export function closeMail(platform: Platform): void {
  delivery(platform).server?.close()
}

const delivery = perPlatform((platform) => ({ server: openMailServer(platform.config), gate: createGate() }))

async function deliver(platform: Platform, directory: Directory, mail: OpenedMail): Promise<void> {
  const { server, gate } = delivery(platform)
  // The row stays: the clean-up finds it once there is a mail server, or drops it.
  if (!server) return
  const leave = gate.enter()
  if (!leave) return enqueueSending(platform.db, directory.id, mail.id, nextTry(mail))
  try {
    await server.send(mail)
    leave(true)
  } catch (error) {
    leave(error instanceof MailFailure && !error.unreachable)
    if (!(error instanceof MailFailure)) throw error
    return failed(platform, directory, mail, error)
  }
  await deleteMail(platform.db, directory, mail.id)
  platform.metrics.mail.inc({ result: 'sent' })
}

async function failed(platform: Platform, directory: Directory, mail: OpenedMail, failure: MailFailure): Promise<void> {
  const fields = { job: SEND_MAIL, directoryId: directory.id, attempt: mail.attempts + 1, code: failure.code }
  if (failure.refused) {
    await deleteMail(platform.db, directory, mail.id)
    platform.metrics.mail.inc({ result: 'refused' })
    platform.log.warn(fields, 'The mail server refused a mail for good')
    return
  }
  await platform.tx(async (tx) => {
    const waits = await noteFailedTry(tx, directory, mail.id, failure.code)
    if (waits) await enqueueSending(tx, directory.id, mail.id, nextTry(mail))
  })
  platform.metrics.mail.inc({ result: 'retried' })
  platform.log.warn(fields, 'A mail did not leave and will be tried again')
}

/**
 * A mail waits about as long again as it has waited: after 1, 2, 4, 8 seconds and so on, at most a minute. Codes
 * live for minutes; the queue's own steps are made for days.
 */
function nextTry(mail: OpenedMail): Date {
  const delayMs = Math.min(Math.max(mail.ageMs, 1000), 60_000) * (0.8 + 0.4 * Math.random())
  // The queue goes by real time, not by the clock of the service.
  return new Date(Date.now() + delayMs)
}

const SLOW_MS = 3000
const WHILE_TROUBLED = 2

/**
 * Lets tries through: all while the mail server is well, two at a time while it is slow or dead. A server that swallows
 * connections may hold some of the worker's places for the length of its timeout, and never all of them for long.
 */
export function createGate() {
  let underWay = 0
  let troubled = false
  return {
    /** Null: not now. Otherwise to be called at the end, with whether the server answered. */
    enter(): ((answered: boolean) => void) | null {
      if (troubled && underWay >= WHILE_TROUBLED) return null
      underWay++
      const startedAt = performance.now()
      return (answered) => {
        underWay--
        troubled = !answered || performance.now() - startedAt > SLOW_MS
      }
    },
  }
}
