import { ApiError } from '../../../../platform/errors.ts'
import { compileValidator } from '../../../../platform/http/validate.ts'
import { newId } from '../../../../platform/ids.ts'
import type { Belonging } from '../../../../platform/lifecycle/belongings.ts'
import { belongingsOf } from '../../../../platform/lifecycle/belongings.ts'
import { type EmailAddress, parseEmail } from '../../../../platform/mail/address.ts'
import { fitsMetadata } from '../../../../platform/metadata.ts'
import type { Work } from '../../../../platform/work.ts'
import { identityOf } from '../insert.ts'
import type { NamedRoles } from '../new-roles/new-roles.ts'
import { toColumns } from '../schema.ts'
import type { NewUserRow } from '../store.ts'
import { type BulkReply, BulkUser, ImportedUser } from './schema.ts'

const checkRow = compileValidator(BulkUser, 'body')
const checkImported = compileValidator(ImportedUser, 'body')

/** A row that has passed every check. */
export interface Candidate {
  /** The address as it was sent. */
  given: string
  address: EmailAddress
  row: NewUserRow
  /** The fields of the request, from which data such as a password hash is read. */
  fields: object
  brings: Belonging[]
  roles: NamedRoles
}
export type Failure = BulkReply['failed'][number]

/** Reads an entry. `active` says whether the user may sign in. */
export function readRow(
  work: Work,
  sent: unknown,
  { active, isImport }: { active: boolean; isImport: boolean },
): Candidate | Failure {
  if (typeof sent !== 'object' || sent === null) return { email: null, error: 'invalid_field:row' }
  const email: unknown = Reflect.get(sent, 'email')
  const given = typeof email === 'string' ? email.slice(0, 320) : null
  if ('unreadable' in sent) return { email: given, error: 'invalid_field:line' }
  const address = given === email && given !== null ? parseEmail(given) : null
  if (given === null || !address) return { email: given, error: 'invalid_email' }
  if (!isSound(sent, isImport)) return { email: given, error: `invalid_field:${findBadField(sent, isImport)}` }
  if (!fitsMetadata(sent.metadata)) return { email: given, error: 'invalid_field:metadata' }
  const brings = readArrivals(work, sent)
  if ('invalid' in brings) return { email: given, error: `invalid_field:${brings.invalid}` }
  const row = {
    ...toColumns(sent),
    ...identityOf(address),
    // A user with a password needs an auth account to sign in with.
    auth_account_id: brings.length ? newId() : null,
    email_verified: sent.emailVerified ?? false,
    active,
    source: 'bulk',
  }
  return { given, address, row, fields: sent, brings, roles: sent }
}

/** The data that the user brings, such as a password hash, or the name of an invalid field. */
function readArrivals(work: Work, fields: object): Belonging[] | { invalid: string } {
  const belongings = belongingsOf(work.platform)
  const read = belongings.map((belonging) => ({ belonging, found: belonging.arrival?.read(work, fields) }))
  for (const { found } of read) if (typeof found === 'object') return found
  return read.flatMap(({ belonging, found }) => (found === 'something' ? [belonging] : []))
}

function isSound(sent: object, isImport: boolean): sent is BulkUser {
  return findBadField(sent, isImport) === null
}

function findBadField(sent: object, isImport: boolean): string | null {
  try {
    if (isImport) checkImported(sent)
    else checkRow(sent)
    return null
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.details.errors?.[0]?.field.slice(0, 100) ?? 'row'
  }
}
