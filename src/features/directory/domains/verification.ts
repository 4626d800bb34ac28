import { randomInt } from 'node:crypto'
import { now } from '../../../platform/db/now.ts'
import { isUniqueViolation } from '../../../platform/db/pool.ts'
import { record } from '../../../platform/events/events.ts'
import { countAct, idBytes, type RateLimit } from '../../../platform/limits/rate-limit.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { type CheckError, checkRecord } from './challenge.ts'
import { lockDomainOwner, readId } from './claims.ts'
import { domainErrors } from './errors.ts'
import { domainEvents } from './events.ts'
import { type Domain, toDomain } from './schema.ts'
import { type DomainRow, findDomainRow, inSeconds, updateDomainRow } from './store.ts'

/** Limits an organization's checks, since each check queries other people's servers. */
const CHECKS: RateLimit = { bucket: 'domains.check', limit: 60, windowSeconds: 3600 }

const DAY = 24 * 3600

/** Why the record of a domain was not found; null if it was found. */
interface LookedAt {
  row: DomainRow
  error: CheckError | null
}

/**
 * Looks for the record of a domain. Queries DNS, so do not call it in a transaction. Throws `domain_not_found`,
 * `rate_limited`.
 */
export async function lookForRecord(work: Work, text: string): Promise<LookedAt> {
  const { platform, directory, db } = work
  const row = await findDomainRow(db, directory, readId(text))
  if (!row) throw domainErrors.notFound()
  await countAct(work, idBytes(directory.id), [CHECKS])
  return { row, error: await checkRecord(platform, row) }
}

/**
 * Writes the result of a check. If the record was found, the organization gets the domain, unless another
 * organization has it. If it was not found, the organization keeps a domain that it already has: only the periodic
 * checks remove it. Throws `domain_not_found`, `domain_claimed`, `organization_archived`.
 */
export async function verifyDomain(
  work: Work,
  { row, error }: LookedAt,
): Promise<{ domain: Domain; error: CheckError | null }> {
  const { directory } = work
  return inTx(work, async (work) => {
    const isNew = error === null && (await confirm(work, row.id))
    if (error !== null) await noteFailure(work, row, error)
    const after = await findDomainRow(work.db, directory, row.id)
    if (!after) throw domainErrors.notFound()
    const domain = toDomain(after)
    const event = error === null ? domainEvents.verified : domainEvents.verificationFailed
    if (isNew || error !== null) await record(work, event({ target: { type: 'domain', id: row.id }, data: domain }))
    return { domain, error }
  })
}

/**
 * Writes that the record was found. Returns whether the domain was not verified before. If two organizations do this
 * at the same time, only one gets the domain.
 */
async function confirm(work: TxWork, id: string): Promise<boolean> {
  const { db, directory } = work
  await lockDomainOwner(work)
  const row = await findDomainRow(db, directory, id)
  if (!row) throw domainErrors.notFound()
  try {
    await updateDomainRow(db, directory, { id, set: verifiedColumns(row) })
  } catch (error) {
    if (isUniqueViolation(error, 'domains_one_owner')) throw domainErrors.claimed()
    throw error
  }
  return row.status !== 'verified'
}

/** The columns to write after a successful check. */
export function verifiedColumns({ status }: Pick<DomainRow, 'status'>) {
  return {
    status: 'verified',
    ...(status === 'verified' ? {} : { verified_at: now }),
    last_error: null,
    failing_since: null,
    failed_checks: 0,
    // About a week later. The random part spreads the checks of domains that were verified at the same time.
    next_check_at: inSeconds(7 * DAY + randomInt(-DAY / 2, DAY / 2)),
  }
}

async function noteFailure({ db, directory }: TxWork, row: DomainRow, error: CheckError): Promise<void> {
  // If no DNS server answered, the check says nothing about the domain.
  const isTold = error !== 'dns_unavailable'
  await updateDomainRow(db, directory, {
    id: row.id,
    only: { status: row.status },
    set: { last_error: error, ...(isTold && row.status !== 'verified' ? { status: 'failed' } : {}) },
  })
}
