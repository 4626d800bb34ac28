import type { ErasureWork } from '../../../platform/lifecycle/erasure.ts'
import { forgetAddresses } from '../../../platform/mail/bounces/store.ts'
import { type Directory, sharedDirectories, teamDirectory } from '../../../platform/tenancy/directory.ts'
import { listKeyIdsOfOrganization } from '../api-keys/api-keys.ts'
import { findLeaving, type Leaving } from '../members/erasure/erasure.ts'
import { organizationEvents } from '../organizations/organizations.ts'
import { type EventText, readSubjects, type Subjects } from './mentions.ts'
import { recordErasure } from './records.ts'
import { findPeople, findShared, listAddresses } from './store.ts'

// These events contain no personal data, only the organization's id and dates.
const KEPT: (string | null)[] = [
  organizationEvents.erasureScheduled.type,
  organizationEvents.erasureCancelled.type,
  organizationEvents.erased.type,
]

interface Place {
  accountId: string
  directoryIds: string[]
}

interface Erased extends Place {
  organizationId: string
  team: Directory
  leaving: Leaving
}

/**
 * Erases events outside of the organization's directories that are about the organization, its keys, its roster or
 * its users: at the account level of the shared environments, and in the team's directory. Must run before users,
 * keys and roster are removed.
 */
export async function eraseElsewhere(work: ErasureWork, place: Place): Promise<void> {
  const { platform, organizationId } = work
  const leaving = await findLeaving(platform, platform.db, { accountId: place.accountId, organizationId })
  const team = await teamDirectory(platform, place.accountId)
  const erased = { ...place, organizationId, team, leaving }
  const keyIds = await listKeyIdsOfOrganization(platform.db, organizationId)
  for (const directory of await sharedDirectories(platform.db, place.accountId))
    await eraseAtAccountLevel(work, erased, directory, new Set([...keyIds, ...leaving.membershipIds]))
  await forgetBounces(work, erased)
  await eraseOfTeam(work, erased)
}

async function eraseAtAccountLevel(
  work: ErasureWork,
  erased: Erased,
  directory: Directory,
  keysAndMembers: ReadonlySet<string>,
): Promise<void> {
  const { db } = work.platform
  await recordErasure.of(work.platform).mentions(work, directory, async (events) => {
    const asked = subjectsOf(events)
    const people = await findPeople(db, erased.directoryIds, asked)
    const since = new Map(people.since)
    for (const [contact, at] of erased.leaving.invitedAt) since.set(contact, earlier(since.get(contact), at))
    const shared = await findSharedIn(
      work,
      erased,
      directory,
      asked.contacts.filter((one) => since.has(one)),
    )
    return idsOfEvents(
      events.filter(({ type }) => !KEPT.includes(type)),
      (event, { ids, organizations, contacts }) =>
        organizations.includes(erased.organizationId) ||
        ids.some((id) => keysAndMembers.has(id) || people.ids.has(id)) ||
        contacts.some((one) => !shared.has(one) && isSince(event, since.get(one))),
    )
  })
}

/**
 * The contacts in `contacts` that also belong to people who stay. Users in the team's directory count as members of
 * the team, so the rosters decide about them.
 */
function findSharedIn({ platform }: ErasureWork, erased: Erased, { environmentId }: Directory, contacts: string[]) {
  const directoryIds = [...erased.directoryIds, erased.team.id]
  return findShared(platform.db, { ...erased, environmentId, directoryIds }, contacts)
}

async function eraseOfTeam(work: ErasureWork, { team, leaving }: Erased): Promise<void> {
  const { invitedAt, userIds, authAccountIds } = leaving
  if (invitedAt.size === 0) return
  const people = new Set([...userIds, ...authAccountIds])
  const isLeaving = (event: EventText, { ids, contacts }: Subjects) =>
    ids.some((id) => people.has(id)) || contacts.some((one) => isSince(event, invitedAt.get(one)))
  await recordErasure.of(work.platform).mentions(work, team, async (events) => idsOfEvents(events, isLeaving))
}

const earlier = (one: Date | undefined, other: Date) => (one && one < other ? one : other)

/**
 * Whether the event was recorded after the user with this contact was created. Earlier messages were sent to another
 * person.
 */
function isSince({ created_at }: EventText, since: Date | undefined): boolean {
  return since !== undefined && Number(created_at) >= since.getTime() * 1000
}

/**
 * Deletes bounces that apply to every organization of a shared environment, unless another organization has a user
 * with this address.
 */
async function forgetBounces(work: ErasureWork, erased: Erased): Promise<void> {
  const { db } = work.platform
  const directories = await sharedDirectories(db, erased.accountId)
  for (let after: string | undefined = ''; after !== undefined; ) {
    const addresses: string[] = await listAddresses(db, erased.directoryIds, after)
    for (const directory of directories) {
      const shared = await findSharedIn(work, erased, directory, addresses)
      const own = addresses.filter((norm) => !shared.has(norm))
      await forgetAddresses(db, directory.id, own)
    }
    after = addresses.at(-1)
  }
}

function subjectsOf(events: EventText[]): Pick<Subjects, 'ids' | 'contacts'> {
  const subjects = events.map(readSubjects)
  const all = (of: (each: Subjects) => string[]) => [...new Set(subjects.flatMap(of))]
  return { ids: all(({ ids }) => ids), contacts: all(({ contacts }) => contacts) }
}

function idsOfEvents(events: EventText[], isFound: (event: EventText, subjects: Subjects) => boolean): string[] {
  return events.filter((event) => isFound(event, readSubjects(event))).map(({ id }) => id)
}
