import type { ErasureWork } from '../../../platform/lifecycle/erasure.ts'
import { forgetAddresses } from '../../../platform/mail/bounces/store.ts'
import { sharedDirectories, teamDirectory } from '../../../platform/tenancy/directory.ts'
import { listKeyIdsOfOrganization } from '../api-keys/api-keys.ts'
import { findLeaving } from '../members/erasure/erasure.ts'
import { organizationEvents } from '../organizations/organizations.ts'
import { type EventText, type Named, readNamed } from './mentions.ts'
import { type EraseRecords, recordErasure } from './records.ts'
import { findPeople, findShared, listAddresses } from './store.ts'

// They have no personal data: the id of the organization and dates.
const KEPT: (string | null)[] = [
  organizationEvents.erasureScheduled.type,
  organizationEvents.erasureCancelled.type,
  organizationEvents.erased.type,
]

interface Place {
  accountId: string
  directoryIds: string[]
}

/**
 * Erases events outside of the directories of an organization that are about it, its keys, its roster or its users: at the
 * account level of the shared environments, and where the team signs in. Runs before users, keys and roster are removed.
 */
export async function eraseElsewhere(work: ErasureWork, place: Place): Promise<void> {
  const { platform } = work
  const erase = recordErasure.of(platform)
  await eraseAtAccountLevel(work, place, erase)
  await forgetBounces(work, place)
  const { emailNorms, userIds, authAccountIds } = await findLeaving(platform, platform.db, {
    accountId: place.accountId,
    organizationId: work.organizationId,
  })
  if (emailNorms.length === 0) return
  const leaving = new Set([...emailNorms, ...userIds, ...authAccountIds])
  const team = await teamDirectory(platform, place.accountId)
  await erase.mentions(work, team, async (events) =>
    idsOfEvents(events, ({ ids, emailNorms }) => [...ids, ...emailNorms].some((one) => leaving.has(one))),
  )
}

async function eraseAtAccountLevel(work: ErasureWork, place: Place, erase: EraseRecords): Promise<void> {
  const { platform, organizationId } = work
  const keys = new Set(await listKeyIdsOfOrganization(platform.db, organizationId))
  const { membershipIds } = await findLeaving(platform, platform.db, { accountId: place.accountId, organizationId })
  const own = new Set([...keys, ...membershipIds])
  for (const directory of await sharedDirectories(platform.db, place.accountId)) {
    await erase.mentions(work, directory, async (events) => {
      const people = await findNamedPeople(work, { ...place, environmentId: directory.environmentId }, events)
      return idsOfEvents(
        events.filter(({ type }) => !KEPT.includes(type)),
        ({ ids, organizations, emailNorms, phones }) =>
          organizations.includes(organizationId) ||
          ids.some((id) => own.has(id)) ||
          [...ids, ...emailNorms, ...phones].some((one) => people.has(one)),
      )
    })
  }
}

/** The people of the organization that events name, without addresses of people of other organizations. */
async function findNamedPeople(
  { platform: { db } }: ErasureWork,
  { accountId, environmentId, directoryIds }: Place & { environmentId: string },
  events: EventText[],
): Promise<ReadonlySet<string>> {
  const named = events.map(readNamed)
  const all = (of: (each: Named) => string[]) => [...new Set(named.flatMap(of))]
  const asked = {
    ids: all(({ ids }) => ids),
    emailNorms: all((each) => each.emailNorms),
    phones: all((each) => each.phones),
  }
  const people = await findPeople(db, directoryIds, asked)
  const addresses = asked.emailNorms.filter((norm) => people.has(norm))
  const shared = await findShared(db, { accountId, environmentId }, directoryIds, addresses)
  return people.difference(shared)
}

/** Deletes bounces that apply to every organization of a shared environment, unless another organization has the address. */
async function forgetBounces({ platform: { db } }: ErasureWork, { accountId, directoryIds }: Place): Promise<void> {
  const directories = await sharedDirectories(db, accountId)
  for (let after: string | undefined = ''; after !== undefined; ) {
    const addresses: string[] = await listAddresses(db, directoryIds, after)
    for (const { id, environmentId } of directories) {
      const shared = await findShared(db, { accountId, environmentId }, directoryIds, addresses)
      await forgetAddresses(
        db,
        id,
        addresses.filter((norm) => !shared.has(norm)),
      )
    }
    after = addresses.at(-1)
  }
}

function idsOfEvents(events: EventText[], isFound: (named: Named) => boolean): string[] {
  return events.filter((event) => isFound(readNamed(event))).map(({ id }) => id)
}
