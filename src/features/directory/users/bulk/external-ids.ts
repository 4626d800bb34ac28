import type { Work } from '../../../../platform/work.ts'
import { findExternalIds, findTakenEmails } from '../store.ts'
import type { Candidate } from './row.ts'

/**
 * Finds the new users whose external id belongs to another user or to an earlier entry. Entries whose address exists
 * are not refused but skipped, so that an import can be sent again.
 */
export async function findRefused(work: Work, candidates: Candidate[]): Promise<Set<Candidate>> {
  const refused = new Set<Candidate>()
  const byId = Map.groupBy(candidates, ({ row }) => String(row.external_id ?? ''))
  byId.delete('')
  if (!byId.size) return refused
  const found = await findExternalIds(work.db, work.directory, [...byId.keys()])
  const holders = new Map(found.map(({ external_id, email_norm }) => [external_id, email_norm]))
  const contested = [...byId].flatMap(([id, asking]) =>
    asking.length > 1 || (holders.get(id) ?? asking[0]?.address.norm) !== asking[0]?.address.norm ? asking : [],
  )
  if (!contested.length) return refused
  const norms = contested.map(({ address }) => address.norm)
  const there = new Set(await findTakenEmails(work.db, work.directory, norms))
  for (const candidate of contested) {
    const { norm } = candidate.address
    const id = String(candidate.row.external_id)
    const holder = holders.get(id)
    if (there.has(norm)) continue
    if (holder === undefined) holders.set(id, norm)
    else if (holder !== norm) refused.add(candidate)
  }
  return refused
}
