import type { JobHandler } from '../jobs/queue.ts'
import type { Platform } from '../platform.ts'
import { sendMail } from './delivery.ts'
import { enqueueSending } from './outbox.ts'
import { deleteExpiredMails, listForgottenMails, oldestWaitingSeconds } from './waiting.ts'

const BATCH = 200

const cleanUpMail: JobHandler = {
  name: 'mail.cleanup',
  cron: '* * * * *',
  async handle(platform) {
    await deleteExpired(platform)
    if (platform.config.smtpUrl !== null)
      for (const { directoryId, id } of await listForgottenMails(platform.db, BATCH))
        await enqueueSending(platform.db, directoryId, id)
    await measureWaitingMail(platform)
  },
}

export const mailJobs: JobHandler[] = [sendMail, cleanUpMail]

/** Brings the gauge of the oldest waiting mail up to date; every process that is scraped does so for itself. */
export async function measureWaitingMail(platform: Platform): Promise<void> {
  platform.metrics.mailOldestWaiting.set(await oldestWaitingSeconds(platform.db))
}

async function deleteExpired(platform: Platform): Promise<void> {
  for (;;) {
    const { deleted, expired } = await deleteExpiredMails(platform.db, BATCH)
    platform.metrics.mail.inc({ result: 'expired' }, expired)
    if (deleted < BATCH) return
  }
}
