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

/** What an organization may ask for: each check asks servers of strangers. */
const CHECKS: RateLimit = { bucket: 'domains.check', limit: 60, windowSeconds: 3600 }

const DAY = 24 * 3600

/** What was found in place of the record of a domain; null for the record itself. */
interface LookedAt {
  row: DomainRow
  error: CheckError | null
}

/** Looks for the record of a domain: not within a transaction. Throws `domain_not_found`, `rate_limited`. */
export async function lookForRecord(work: Work, text: string): Promise<LookedAt> {
  const { platform, directory, db } = work
  const row = await findDomainRow(db, directory, readId(text))
  if (!row) throw domainErrors.notFound()
  await countAct(work, idBytes(directory.id), [CHECKS])
  return { row, error: await checkRecord(platform, row) }
}

/**
 * Where the record was found, the organization has the domain, unless another one has it. Where not, a domain that it
 * has is still its own: only the periodic checks take it away. Throws `domain_not_found`, `domain_claimed`,
 * `organization_archived`.
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

/** Writes that the record was found, and tells whether that is new. Of two organizations at once one gets the domain. */
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

/** What a check writes that has found the record. */
export function verifiedColumns({ status }: Pick<DomainRow, 'status'>) {
  return {
    status: 'verified',
    ...(status === 'verified' ? {} : { verified_at: now }),
    last_error: null,
    failing_since: null,
    failed_checks: 0,
    // A week later, more or less, so that domains which were verified at once are not checked at once for ever.
    next_check_at: inSeconds(7 * DAY + randomInt(-DAY / 2, DAY / 2)),
  }
}

async function noteFailure({ db, directory }: TxWork, row: DomainRow, error: CheckError): Promise<void> {
  // No DNS server answered, so the check says nothing about the domain.
  const isTold = error !== 'dns_unavailable'
  await updateDomainRow(db, directory, {
    id: row.id,
    only: { status: row.status },
    set: { last_error: error, ...(isTold && row.status !== 'verified' ? { status: 'failed' } : {}) },
  })
}
