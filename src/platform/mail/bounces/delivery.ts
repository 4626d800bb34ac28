import { systemOrigin } from '../../events/events.ts'
import type { DeliveryFailure, Tenant } from '../../outbox/delivery.ts'
import { deleteWaiting } from '../../outbox/waiting.ts'
import { mailOutbox, type WaitingMail } from '../outbox.ts'
import { countBounce, listSuppressions, reportOfMail, suppressibleAddress } from './bounces.ts'
import { failureOfReply } from './status.ts'
import { countWithheld, keepSuppression, type SuppressionRow } from './store.ts'

/**
 * Drops a mail to a suppressed address and counts it. It is counted at the organization's own row if there is one: a
 * row that stopped counting would show the organization's keys that the whole environment suppresses the address.
 * Returns true if the mail was dropped.
 */
export async function withholdSuppressed(tenant: Tenant, mail: WaitingMail): Promise<boolean> {
  const { platform, directory } = tenant
  const emailNorm = suppressibleAddress(directory, mail)
  if (emailNorm === null) return false
  const suppressions = await listSuppressions(platform, directory, { emailNorm, kind: mail.kind })
  for (const [n, suppression] of suppressions.entries())
    if (await withhold(tenant, mail, suppression, suppressions.slice(n + 1))) return true
  return false
}

async function withhold(
  tenant: Tenant,
  mail: WaitingMail,
  suppression: SuppressionRow,
  others: SuppressionRow[],
): Promise<boolean> {
  const { platform, directory } = tenant
  const isWithheld = await platform.tx(async (tx) => {
    if (!(await countWithheld(tx, suppression))) return false
    for (const other of others) await keepSuppression(tx, other)
    await deleteWaiting(tx, mailOutbox, directory, mail.id)
    return true
  })
  const { reason } = suppression
  if (isWithheld)
    platform.log.info({ directoryId: directory.id, code: reason }, 'An email was not sent: its address is suppressed')
  return isWithheld
}

/** Counts a bounce if a mail server has permanently refused a mail because of its recipient. */
export async function noteRefusal(tenant: Tenant, mail: WaitingMail, { answer }: DeliveryFailure): Promise<void> {
  const { platform, directory } = tenant
  const emailNorm = suppressibleAddress(directory, mail)
  const refusal = emailNorm === null || answer === null ? null : failureOfReply(answer)
  if (emailNorm === null || refusal === null) return
  await countBounce(
    { platform, directory, db: platform.db, origin: systemOrigin() },
    {
      emailNorm,
      kind: refusal.failure,
      status: refusal.status,
      source: 'smtp',
      reportId: reportOfMail(mail.id),
      providerId: null,
    },
  )
}
