import { type EmailAddress, parseEmail } from '../address.ts'
import { failureOf, failureOfReply, readStatus } from './status.ts'

/** What a report says about an address. */
export type BounceKind = 'hard' | 'soft' | 'complaint'

/** One recipient in a report. */
export interface ReportedRecipient {
  /** The address in the mail, and the address that it was forwarded to. */
  addresses: EmailAddress[]
  /** Null for a report that does not count, for example about a delay. */
  kind: BounceKind | null
  /** The status code (RFC 3463), or null if the report has none. */
  status: string | null
}

/** A delivery status notification (RFC 3464), or a complaint (RFC 5965). */
export interface MailReport {
  /** The `Message-ID` of the reported mail, or null if the report does not contain it. */
  messageId: string | null
  recipients: ReportedRecipient[]
}

/** Larger than any report about a mail of this service. */
export const MAX_REPORT_BYTES = 256 * 1024
const LIMITS = { maxNestingDepth: 10, maxHeadersSize: 64 * 1024, maxRfc822NestingDepth: 0 }
// Each line may be a part of the message, and a part costs more than its length.
const MAX_LINES = 4000
const MAX_RECIPIENTS = 50

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status']
const COMPLAINT_TYPE = 'message/feedback-report'
const ORIGINAL_TYPES = ['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers']

/** Reads a message as a report. Returns null for any other message, such as an out-of-office reply. */
export async function readReport(message: string): Promise<MailReport | null> {
  if (message.split('\n', MAX_LINES + 1).length > MAX_LINES) return null
  const mail = await parse(message)
  if (!mail?.headers.some(({ key, value }) => key === 'content-type' && /^\s*multipart\/report\b/i.test(value)))
    return null
  const partOf = (types: string[]) => {
    const part = mail.attachments.find(({ mimeType }) => types.includes(mimeType))
    return part === undefined ? null : String(part.content)
  }
  const original = await parse(partOf(ORIGINAL_TYPES) ?? '')
  const messageId = original?.messageId ?? null
  const status = partOf(STATUS_TYPES)
  if (status !== null) return { messageId, recipients: readDeliveryStatus(status) }
  const complaint = partOf([COMPLAINT_TYPE])
  if (complaint === null) return null
  const to = (original?.to ?? []).map(({ address = '' }) => address)
  return { messageId, recipients: readComplaint(complaint, to) }
}

/** Returns null for a message beyond the limits. */
async function parse(message: string) {
  // Loaded with the first report, because the start does not need it.
  const { default: PostalMime } = await import('postal-mime')
  try {
    return await PostalMime.parse(message, { ...LIMITS, attachmentEncoding: 'utf8' })
  } catch {
    return null
  }
}

type Fields = Map<string, string[]>

/** The groups of fields in a report, which are separated by blank lines (RFC 3464 §2.1). Names are in lower case. */
function readGroups(text: string): Fields[] {
  const groups: Fields[] = []
  let group: Fields | null = null
  for (const line of text.replaceAll(/\r?\n[ \t]+(?=[^\s])/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (line.trim() === '') group = null
    if (colon <= 0) continue
    if (!group) {
      group = new Map()
      groups.push(group)
    }
    const name = line.slice(0, colon).trim().toLowerCase()
    const values = group.get(name) ?? []
    values.push(line.slice(colon + 1).trim())
    group.set(name, values)
  }
  return groups
}

function readDeliveryStatus(text: string): ReportedRecipient[] {
  const ofRecipients = readGroups(text).filter((fields) => fields.has('final-recipient'))
  return ofRecipients.slice(0, MAX_RECIPIENTS).map((fields) => {
    const read = (name: string) => fields.get(name)?.[0] ?? ''
    const addresses = readAddresses(['original-recipient', 'final-recipient'].map((name) => read(name)))
    const status = readStatus(read('status'))
    const isFailed = read('action').toLowerCase().startsWith('failed')
    if (!isFailed || status === null) return { addresses, kind: null, status }
    return { addresses, ...classify(status, read('diagnostic-code')) }
  })
}

/** Some servers report only `5.0.0`, and put the next server's status in the text of its reply (RFC 3464 §2.3.6). */
function classify(status: string, diagnostic: string): Pick<ReportedRecipient, 'kind' | 'status'> {
  const reply = status.endsWith('.0.0') ? failureOfReply(diagnostic.replace(/^smtp;\s*/i, '')) : null
  return reply ? { kind: reply.failure, status: reply.status ?? status } : { kind: failureOf(status), status }
}

/** `to` are the recipients of the mail in the complaint, for reports that do not name them. */
function readComplaint(text: string, to: string[]): ReportedRecipient[] {
  const [fields] = readGroups(text)
  const isComplaint = ['abuse', 'fraud'].includes(fields?.get('feedback-type')?.[0]?.toLowerCase() ?? '')
  const named = readAddresses(fields?.get('original-rcpt-to') ?? [])
  const addresses = named.length > 0 ? named : readAddresses(to)
  return addresses.slice(0, MAX_RECIPIENTS).map((address) => ({
    addresses: [address],
    kind: isComplaint ? 'complaint' : null,
    status: null,
  }))
}

/** Reads addresses such as `rfc822;ada@example.com` or `<ada@example.com>` and removes duplicates. */
function readAddresses(values: string[]): EmailAddress[] {
  const parsed = values.map((value) =>
    parseEmail(
      value
        .replace(/^[^;]{0,40};/, '')
        .replaceAll(/[<>]/g, '')
        .trim(),
    ),
  )
  const found = new Map(parsed.flatMap((address) => (address ? [[address.norm, address]] : [])))
  return [...found.values()]
}
