import { changedFrom, record } from '../../platform/events.ts'
import { NOTICE_USEFUL_SECONDS, queueMail } from '../../platform/mail/outbox.ts'
import { handedIn } from '../../platform/platform.ts'
import { inTx, type Work } from '../../platform/work.ts'
import { disabledMail } from './emails.ts'
import { webhookEvents } from './events.ts'
import { findWebhookRow, lockWebhookRow, updateWebhookRow } from './store.ts'
import { toWebhook } from './view.ts'

/** Finds the addresses of the team of an account that look after its webhooks. */
export const noticeReceivers = handedIn<(accountId: string) => Promise<string[]>>(
  'who hears of webhooks that were disabled',
)

/** Disables an endpoint that does not work any more, once, and tells the team. */
export async function disableWebhook(work: Work, id: string, reason: 'failing' | 'gone'): Promise<void> {
  const { platform, directory } = work
  const receivers = await noticeReceivers.of(platform)(directory.accountId)
  await inTx(work, async (work) => {
    const { db } = work
    const isThere = await lockWebhookRow(db, directory, id)
    const before = isThere ? await findWebhookRow(db, directory, id) : undefined
    if (!before?.enabled) return
    await updateWebhookRow(db, directory, id, { enabled: false, disabled_reason: reason })
    const after = await findWebhookRow(db, directory, id)
    if (!after) return
    const data = toWebhook(after)
    const previous = changedFrom(toWebhook(before), data)
    await record(work, webhookEvents.disabled({ target: { type: 'webhook', id }, data, previous }))
    const about = { name: after.name, url: after.url, isGone: reason === 'gone' }
    for (const to of receivers) await queueMail(work, disabledMail(to, about), NOTICE_USEFUL_SECONDS)
  })
}
