import { invalidField } from '../../../platform/errors.ts'
import { requireEmail } from '../../../platform/mail/address.ts'
import { type Bounce, countBounce, reportOfMail, reportOfProvider } from '../../../platform/mail/bounces/bounces.ts'
import { readMessageId } from '../../../platform/mail/bounces/message-id.ts'
import { type BounceKind, readReport } from '../../../platform/mail/bounces/report.ts'
import { toSuppression } from '../../../platform/mail/bounces/schema.ts'
import { findAddress } from '../../../platform/mail/bounces/store.ts'
import { type Directory, findDirectory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import type { BounceReport, ReportedBounce } from './schema.ts'

type Outcome = ReportedBounce['outcome']

/** What a report says about one address. */
interface Reported {
  emailNorm: string
  /** Null: the report does not count against the address. */
  kind: BounceKind | null
  status: string | null
  providerId: string | null
}

/**
 * Counts the bounces and complaints of a report. They count for the directory that sent the mail if the report
 * contains its `Message-ID` and the caller reaches that directory, otherwise for the directory of the request. Throws
 * `invalid_request`.
 */
export async function reportBounces(work: Work, report: BounceReport): Promise<ReportedBounce[]> {
  const { message, email, kind, provider_id: providerId = null, message_id: messageId } = report
  if (message !== undefined) {
    if (email !== undefined || kind !== undefined || messageId !== undefined)
      throw invalidField('message', 'exclusive', 'message must not be sent together with email, kind or message_id')
    return countMessage(work, message, providerId)
  }
  if (email === undefined) throw invalidField('email', 'required', 'email is required without a message')
  if (kind === undefined) throw invalidField('kind', 'required', 'kind is required without a message')
  const reported = { emailNorm: requireEmail(email).norm, kind, status: null, providerId }
  if (messageId === undefined) return [await count(work, reported, providerId && reportOfProvider(providerId))]
  return [await countAbout(work, messageId, reported)]
}

async function countMessage(work: Work, message: string, providerId: string | null): Promise<ReportedBounce[]> {
  const report = await readReport(message)
  if (!report)
    throw invalidField('message', 'report', 'message must be a delivery status notification or a feedback report')
  const bounces: ReportedBounce[] = []
  for (const { addresses, kind, status } of report.recipients) {
    const mailed = addresses.find(({ norm }) => readMessageId(work.platform, report.messageId ?? '', norm))
    const [address] = mailed ? [mailed] : addresses
    if (!address) continue
    const reported = { emailNorm: address.norm, kind, status, providerId }
    bounces.push(await countAbout(work, report.messageId ?? '', reported))
  }
  return bounces
}

/** Counts a report about a certain mail. The `Message-ID` proves that this service sent the mail. */
async function countAbout(work: Work, messageId: string, reported: Reported): Promise<ReportedBounce> {
  const mail = readMessageId(work.platform, messageId, reported.emailNorm)
  const directory = mail && (await findDirectory(work.platform, mail.directoryId))
  if (!mail || !directory || !reaches(work.directory, directory)) return outcomeOf(work, reported, 'unknown_mail')
  return count({ ...work, directory }, reported, reportOfMail(mail.id))
}

/** Whether a report sent to one directory may count for another. Reports about mails to the team never count. */
function reaches(place: Directory, directory: Directory): boolean {
  if (directory.kind === 'console' || directory.environmentId !== place.environmentId) return false
  return place.kind === 'account' || place.id === directory.id
}

async function count(work: Work, reported: Reported, reportId: string | null): Promise<ReportedBounce> {
  const { kind } = reported
  if (kind === null) return outcomeOf(work, reported, 'not_counted')
  const bounce: Bounce = { ...reported, kind, source: 'report', reportId }
  return outcomeOf(work, reported, await countBounce(work, bounce))
}

async function outcomeOf(work: Work, reported: Reported, outcome: Outcome): Promise<ReportedBounce> {
  const { emailNorm, kind, status } = reported
  const { db, directory } = work
  const isKnown = outcome === 'counted' || outcome === 'repeated'
  // Looks in this directory only: a caller limited to one organization must not learn what is suppressed elsewhere.
  const found = isKnown ? await findAddress(db, directory, emailNorm) : null
  const softBounces = isKnown ? (found?.soft_bounces ?? 0) : null
  const suppression = found?.suppression ? toSuppression(found.suppression, directory.organizationId) : null
  return { email: emailNorm, kind, status, outcome, soft_bounces: softBounces, suppression }
}
