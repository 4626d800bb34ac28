import { record } from '../../events/events.ts'
import type { Platform } from '../../platform.ts'
import type { ManagerCaller } from '../../tenancy/caller.ts'
import { accountDirectory, type Directory, findDirectory } from '../../tenancy/directory.ts'
import { isErased } from '../../tenancy/erased.ts'
import { inTx, type TxWork, type Work } from '../../work.ts'
import { parseEmail } from '../address.ts'
import { isCausedByStrangers, isForTeam, isNotice } from '../kinds.ts'
import { bounceEvents } from './events.ts'
import type { BounceKind } from './report.ts'
import { type MailSuppression, toSuppression } from './schema.ts'
import {
  type AddressRow,
  findSuppressions,
  insertReport,
  keepSoftBounces,
  lockAddressRow,
  SOFT_WITHIN_MS,
  type SuppressionRow,
  suppressRow,
  takeSuppression,
} from './store.ts'

const DAY_MS = 24 * 3600_000
const SOFT_BOUNCES = 3
// Retries, and several mails within minutes, count as one problem of the mailbox.
const SOFT_APART_MS = 3600_000
const SOFT_SUPPRESSED_MS = DAY_MS

export interface Bounce {
  /** The address in the form for comparison. */
  emailNorm: string
  kind: BounceKind
  /** The status code (RFC 3463), or null if it is unknown. */
  status: string | null
  source: 'smtp' | 'report'
  /** Identifies a repeated report. If null, every report counts. */
  reportId: string | null
  /** The provider's own id of the report. */
  providerId: string | null
}

/** The id of a report about one mail, whatever its source. */
export const reportOfMail = (mailId: string) => `mail:${mailId}`
export const reportOfProvider = (providerId: string) => `provider:${providerId}`

type Counting = 'counted' | 'repeated' | 'unknown_mail'

/**
 * Counts a bounce or complaint for an address of the directory, and suppresses the address if needed. Returns
 * `repeated` for a report that was already counted, and `unknown_mail` if the directory's organization was erased.
 */
export async function countBounce(work: Work, bounce: Bounce): Promise<Counting> {
  const { kind, source } = bounce
  const outcome = await inTx(work, (work) => noteBounce(work, bounce))
  if (outcome === 'counted') work.platform.metrics.bounces.inc({ kind, source })
  return outcome
}

async function noteBounce(work: TxWork, bounce: Bounce): Promise<Counting> {
  const { db, directory } = work
  const { emailNorm, kind, reportId: id } = bounce
  if (await isErased(db, directory)) return 'unknown_mail'
  if (id !== null && !(await insertReport(db, directory, { emailNorm, kind, id }))) return 'repeated'
  // The lock makes concurrent bounces see each other.
  const row = await lockAddressRow(db, directory, emailNorm)
  const { status, source, providerId: provider_id } = bounce
  const data = { sub_org_id: directory.organizationId, email: emailNorm, kind, status, source, provider_id }
  await record(work, bounceEvents.bounced({ target: targetOf(row), data }))
  await suppress(work, row, bounce)
  return 'counted'
}

async function suppress(work: TxWork, row: AddressRow, { kind, status, source }: Bounce): Promise<void> {
  const { db, directory } = work
  const present = row.updated_at
  const isSuppressed = row.reason !== null && (row.suppressed_until === null || row.suppressed_until > present)
  if (kind === 'soft') {
    const ago = (ms: number) => new Date(present.getTime() - ms)
    if (row.soft_bounced_at.some((at) => at > ago(SOFT_APART_MS))) return
    const recent = [...row.soft_bounced_at.filter((at) => at > ago(SOFT_WITHIN_MS)), present].slice(-SOFT_BOUNCES)
    await keepSoftBounces(db, directory, row.id, recent)
    if (isSuppressed || recent.length < SOFT_BOUNCES) return
  }
  const isForGood = isSuppressed && row.suppressed_until === null
  const change = isForGood ? strengthen(row, { kind, status, source }) : begin(present, { kind, status, source })
  if (!change) return
  await suppressRow(db, directory, row.id, change)
  const data = toSuppression({ ...row, ...change }, directory.organizationId)
  await record(work, bounceEvents.suppressed({ target: targetOf(row), data }))
}

type Reported = Pick<Bounce, 'kind' | 'status' | 'source'>

const REASON_OF = { hard: 'hard_bounce', soft: 'soft_bounces', complaint: 'complaint' } as const

function begin(present: Date, { kind, status, source }: Reported) {
  const until = kind === 'soft' ? new Date(present.getTime() + SOFT_SUPPRESSED_MS) : null
  const since = { suppressed_at: present, suppressed_until: until, withheld: 0, last_withheld_at: null }
  return { reason: REASON_OF[kind], status, source, ...since }
}

/**
 * What a hard bounce or a complaint changes in a suppression without an end, or null for nothing. A complaint stays
 * the reason, because the owner does not want the mails even if the address works again. Once the mail server has
 * refused the address, notices are withheld too.
 */
function strengthen({ reason, status, source, suppressed_at }: AddressRow, bounce: Reported) {
  const becomesComplaint = bounce.kind === 'complaint' && reason !== 'complaint'
  const becomesRefused = bounce.kind === 'hard' && bounce.source === 'smtp' && source !== 'smtp'
  if (!(becomesComplaint || becomesRefused) || suppressed_at === null) return null
  const known = becomesRefused ? bounce : { status, source: source === 'smtp' ? ('smtp' as const) : bounce.source }
  const strongest = becomesComplaint || reason === 'complaint' ? ('complaint' as const) : ('hard_bounce' as const)
  return { reason: strongest, status: known.status, source: known.source, suppressed_at, suppressed_until: null }
}

const targetOf = ({ id }: Pick<AddressRow, 'id'>) => ({ type: 'mail_suppression', id })

/**
 * Ends a suppression, and deletes earlier soft bounces. Returns null if the directory has no suppression with this id.
 */
export function clearSuppression(work: Work, id: string): Promise<SuppressionRow | null> {
  return inTx(work, async (work) => {
    const { db, directory } = work
    const row = await takeSuppression(db, directory, id)
    if (!row) return null
    const data = toSuppression(row, directory.organizationId)
    await record(work, bounceEvents.cleared({ target: targetOf(row), data }))
    return row
  })
}

/**
 * Lists the suppressions that withhold a mail to an address of a directory: first the directory's own, then the one at
 * the account level of its environment.
 */
export async function listSuppressions(
  platform: Platform,
  directory: Directory,
  { emailNorm, kind }: { emailNorm: string; kind: string },
): Promise<SuppressionRow[]> {
  const found = await findSuppressions(platform.db, await suppressingDirectories(platform, directory), [emailNorm])
  const rows = found.filter((row) => withholds(row, kind))
  const isOwn = ({ directory_id }: SuppressionRow) => directory_id === directory.id
  return [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))]
}

/**
 * Whether a suppression withholds a kind of mail. Notices are withheld only after a mail server has said that the
 * address does not exist: otherwise an attacker with an API key could suppress a victim's notices by reporting the
 * address or filling the mailbox. Notices that strangers can cause are also withheld after a report. Otherwise anyone
 * could cause mails to a person who complained.
 */
function withholds({ reason, source }: SuppressionRow, kind: string): boolean {
  if (!isNotice(kind)) return true
  return reason !== 'soft_bounces' && (source === 'smtp' || isCausedByStrangers(kind))
}

/** The directories whose suppressions apply in a directory. */
async function suppressingDirectories(platform: Platform, directory: Directory): Promise<Directory[]> {
  return directory.kind === 'organization' ? [directory, await accountDirectory(platform, directory)] : [directory]
}

/**
 * The suppression of an address in a directory, as the caller may see it. A caller with one organization must not
 * learn about mails of other organizations.
 */
export async function showSuppression(
  { platform, db, caller }: Pick<Work, 'platform' | 'db'> & { caller: Pick<ManagerCaller, 'organizationId'> },
  { directory_id, email_norm }: { directory_id: string; email_norm: string },
): Promise<MailSuppression | null> {
  const directory = await findDirectory(platform, directory_id)
  if (!directory) return null
  const isNarrow = caller.organizationId !== null
  const directories = isNarrow ? [directory] : await suppressingDirectories(platform, directory)
  const [row] = await findSuppressions(db, directories, [email_norm])
  return row ? toSuppression(row, row.directory_id === directory.id ? directory.organizationId : null) : null
}

/** The mails stored in development that a suppression withholds, with the reason by id. */
export async function findWithheld(platform: Platform, mails: KeptMail[]): Promise<Map<string, string>> {
  const suppressible = await Promise.all(mails.map((mail) => placeMail(platform, mail)))
  const placed = suppressible.filter((one) => one !== null)
  if (placed.length === 0) return new Map()
  const directories = [...new Set(placed.flatMap(({ directories }) => directories))]
  const rows = await findSuppressions(platform.db, directories, [...new Set(placed.map(({ norm }) => norm))])
  const found = placed.map(({ id, kind, norm, directories, createdAt }) => {
    const row = rows.find(
      (row) =>
        row.email_norm === norm &&
        row.suppressed_at <= createdAt &&
        withholds(row, kind) &&
        directories.some((one) => one.id === row.directory_id),
    )
    return row ? [[id, reasonInWords(row)] as const] : []
  })
  return new Map(found.flat())
}

interface KeptMail {
  id: string
  directoryId: string
  kind: string
  to: string
  createdAt: Date
}

/** The address of a mail and the directories that may suppress it. Null for a mail that is always sent. */
async function placeMail(platform: Platform, { id, createdAt, directoryId, ...mail }: KeptMail) {
  const directory = await findDirectory(platform, directoryId)
  const norm = directory && suppressibleAddress(directory, mail)
  return directory && norm
    ? { id, kind: mail.kind, createdAt, norm, directories: await suppressingDirectories(platform, directory) }
    : null
}

/**
 * The address of a mail in the form for comparison. Null for mails to the account's own team, which are always sent.
 */
export function suppressibleAddress({ kind }: Directory, mail: { kind: string; to: string }): string | null {
  // A report must not lock out an owner.
  if (kind === 'console' || isForTeam(mail.kind)) return null
  return parseEmail(mail.to)?.norm ?? null
}

const REASONS = {
  hard_bounce: 'it takes no mail',
  complaint: 'its owner reported a mail as spam',
  soft_bounces: 'three soft bounces in 7 days',
}

function reasonInWords({ reason, status }: SuppressionRow): string {
  return `the address is suppressed: ${REASONS[reason]}${status === null ? '' : ` (${status})`}`
}
