import type { Db } from '../../../platform/db/pool.ts'
import { record } from '../../../platform/events/events.ts'
import { isId, newId } from '../../../platform/ids.ts'
import { inTx, type TxWork, type Work } from '../../../platform/work.ts'
import { newToken } from './challenge.ts'
import { domainErrors } from './errors.ts'
import { domainEvents } from './events.ts'
import { readDomain } from './name.ts'
import { type Domain, MAX_DOMAINS, toDomain } from './schema.ts'
import {
  type DomainOwner,
  deleteDomainRow,
  findDomainOwner,
  findDomainRow,
  insertDomainRow,
  isVerifiedElsewhere,
  isVerifiedHere,
  listDomainRows,
  lockOrganizationRow,
} from './store.ts'

/** The domains of an organization, oldest first. */
export async function listDomains({ db, directory }: Pick<Work, 'db' | 'directory'>): Promise<Domain[]> {
  return (await listDomainRows(db, directory)).map(toDomain)
}

/**
 * Adds a domain, which then has to be proved. Returns the existing domain if the organization already has it. Several
 * organizations may have the same domain as long as none has proved it. Throws `invalid_request`,
 * `domain_not_allowed`, `domain_claimed`, `domain_limit_reached`, `organization_archived`.
 */
export async function addDomain(work: Work, text: string): Promise<Domain> {
  const domain = readDomain(text)
  return inTx(work, async (work) => {
    const { db, directory } = work
    const organizationId = await lockDomainOwner(work)
    const present = await listDomainRows(db, directory)
    const same = present.find((row) => row.domain === domain)
    if (same) return toDomain(same)
    if (await isVerifiedElsewhere(db, directory, domain)) throw domainErrors.claimed()
    if (present.length >= MAX_DOMAINS) throw domainErrors.limitReached()
    const id = newId()
    await insertDomainRow(db, directory, { id, organization_id: organizationId, domain, token: newToken() })
    const added = await findDomainRow(db, directory, id)
    if (!added) throw domainErrors.notFound()
    const data = toDomain(added)
    await record(work, domainEvents.added({ target: { type: 'domain', id }, data }))
    return data
  })
}

/** Whether the organization has proved that the domain of this address (`EmailAddress.norm`) is its own. */
export async function ownsDomainOf({ db, directory }: Work, emailNorm: string): Promise<boolean> {
  return isVerifiedHere(db, directory, domainOf(emailNorm))
}

const domainOf = (emailNorm: string) => emailNorm.slice(emailNorm.lastIndexOf('@') + 1)

/**
 * The organization of the environment that has verified the domain of this address (`EmailAddress.norm`); null if it is
 * suspended or archived.
 */
export async function findOrganizationOfDomain(
  db: Db,
  environment: { environmentId: string },
  emailNorm: string,
): Promise<DomainOwner | null> {
  return (await findDomainOwner(db, environment, domainOf(emailNorm))) ?? null
}

/** Removes a domain, whether it is proved or not. Throws `domain_not_found`. */
export async function removeDomain(work: Work, id: string): Promise<void> {
  await inTx(work, async (work) => {
    const row = await deleteDomainRow(work.db, work.directory, readId(id))
    if (!row) throw domainErrors.notFound()
    await record(work, domainEvents.removed({ target: { type: 'domain', id: row.id }, data: toDomain(row) }))
  })
}

/**
 * Keeps the organization from being archived until the transaction ends. Returns its id. Throws
 * `organization_archived`.
 */
export async function lockDomainOwner({ db, directory }: TxWork): Promise<string> {
  const organization = await lockOrganizationRow(db, directory)
  if (!organization || directory.organizationId === null || organization.status === 'archived')
    throw domainErrors.organizationArchived()
  return directory.organizationId
}

/** Throws `domain_not_found` if the text is not an id. */
export function readId(text: string): string {
  const id = text.toLowerCase()
  if (!isId(id)) throw domainErrors.notFound()
  return id
}
