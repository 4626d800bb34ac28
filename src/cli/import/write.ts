import { addUsers, checkUsers, type RowOutcome } from '../../features/directory/users/bulk/bulk.ts'
import type { Origin } from '../../platform/events/origin.ts'
import type { Platform } from '../../platform/platform.ts'
import type { AccountScope, Directory } from '../../platform/tenancy/directory.ts'
import { inTx } from '../../platform/work.ts'
import type { Person } from './person.ts'
import { createTarget, type Refusal, refusalToCreate, type Target } from './targets.ts'

export interface Writer {
  platform: Platform
  origin: Origin
  dryRun: boolean
  /**
   * The account in which organizations are created, and whose settings decide whether these organizations accept users.
   * Null if all rows go to one organization.
   */
  scope: AccountScope | null
}

/** Outcomes in the order of the people, or the reason why none of them is imported. */
export type Written = RowOutcome<unknown>[] | Refusal

/** Imports people into one organization, or checks whether that would be possible, in one transaction. */
export async function writeGroup(writer: Writer, target: Target, people: Person[]): Promise<Written> {
  const { scope } = writer
  if (target.directory) return writeInto(writer, target.directory, target, people)
  if (!scope) throw new Error('An organization is created without an account')
  try {
    if (writer.dryRun) return await checkInNew(writer, scope, target, people)
    const { platform, origin } = writer
    target.directory = await platform.tx((db) => createTarget({ platform, origin, db }, scope, target))
  } catch (error) {
    const refusal = refusalToCreate(error, target)
    if (!refusal) throw error
    return refusal
  }
  target.key = target.directory.organizationId ?? target.key
  return writeInto(writer, target.directory, target, people)
}

async function writeInto(writer: Writer, directory: Directory, { slug }: Target, people: Person[]): Promise<Written> {
  const { platform, origin, dryRun, scope } = writer
  return inTx({ platform, directory, origin, db: platform.db }, async (work) => {
    if (scope) {
      const { status } = await work.db
        .selectFrom('organizations')
        .select('status')
        .where('id', '=', directory.organizationId)
        .executeTakeFirstOrThrow()
      if (status !== 'active')
        return { code: 'organization_suspended', reason: `The organization “${slug}” is ${status}.` }
    }
    const fields = people.map((person) => person.fields)
    if (dryRun) return checkUsers(work, fields)
    const inactive = new Set(people.filter((person) => person.inactive).map((person) => person.fields))
    return addUsers(work, fields, { giver: null, inactive })
  })
}

/** Ends the transaction of a dry run, so that it is rolled back. */
class DryRunEnd extends Error {
  override name = 'DryRunEnd'
}

async function checkInNew(
  { platform, origin }: Writer,
  scope: AccountScope,
  target: Target,
  people: Person[],
): Promise<Written> {
  let outcomes: Written = []
  const fields = people.map((person) => person.fields)
  try {
    await platform.tx(async (db) => {
      const directory = await createTarget({ platform, origin, db }, scope, target)
      outcomes = await checkUsers({ platform, origin, directory, db }, fields)
      throw new DryRunEnd()
    })
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error
  }
  return outcomes
}
