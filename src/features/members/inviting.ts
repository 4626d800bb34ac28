import { now } from '../../platform/db/now.ts'
import type { AccountScope } from '../../platform/http/directory.ts'
import { showRate } from '../../platform/http/rate-limit.ts'
import { isId, newId } from '../../platform/ids.ts'
import { type EmailAddress, requireEmail } from '../../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../../platform/work.ts'
import { invite, inviteErrors } from '../invites/invites.ts'
import { describeMember, endAccess, inTeam, recordMember } from './access.ts'
import { memberErrors } from './errors.ts'
import { memberEvents } from './events.ts'
import type { TeamWork } from './members.ts'
import { type Member, type MemberRow, type TeamInvite, toTeamInvite } from './schema.ts'
import {
  deleteMemberRow,
  findMemberRow,
  insertMemberRow,
  listRowsOfAddress,
  lockTeam,
  updateMemberRow,
} from './store.ts'
import { assertMayChange, type TeamRole } from './team-roles.ts'

interface Invited {
  member: Member
  /** Null for whoever is of the team already. */
  invite: TeamInvite | null
  delivery_hint: string | null
}

/** What is answered goes with headers that tell what is left of a rate. */
type InvitingWork = TeamWork & { headers: Record<string, string> }

/**
 * Invites somebody to the account, or to the organization that the scope names. Whoever was invited before gets another
 * link, and this role; whoever is of the team already is a member at once.
 * Throws `member_exists`, `privilege_escalation`, and what an invitation throws.
 */
export async function inviteMember(
  work: InvitingWork,
  invitee: { email: string; role: TeamRole; displayName?: string | null },
): Promise<Invited> {
  const address = requireEmail(invitee.email)
  return inTx(work, async (work) => {
    const { db, directory: scope } = work
    await lockTeam(db, scope)
    const rows = await listRowsOfAddress(db, scope, address.norm)
    const present = rows.find((row) => row.organization_id === scope.organizationId)
    if (present?.status === 'active') throw memberErrors.exists()
    // Also who was invited as this before: whoever invites again answers for it.
    assertMayChange(work.caller, null, invitee.role)
    const isOfTeam = rows.some(({ status }) => status === 'active')
    const id = await keepRow(work, { ...invitee, address, present, isOfTeam })
    const read = async () => {
      const row = (await listRowsOfAddress(db, scope, address.norm)).find((row) => row.id === id)
      if (!row) throw new Error('A membership is gone while the team is locked')
      return row
    }
    if (isOfTeam) {
      const member = await describeMember(work, await read())
      await recordMember(work, memberEvents.added, member)
      return { member, invite: null, delivery_hint: null }
    }
    const { displayName = null } = invitee
    const sent = await invite(await inTeam(work), { email: address.email, displayName }, HOSTED)
    showRate(work, sent)
    await updateMemberRow(db, scope, id, { invite_expires_at: new Date(sent.invite.expires_at) })
    const row = await read()
    return { member: await describeMember(work, row), invite: toTeamInvite(row), delivery_hint: sent.deliveryHint }
  })
}

// No key gets the link: whoever has it becomes the member.
const HOSTED = { redirectTo: null, deliver: true }

interface ToKeep {
  address: EmailAddress
  role: TeamRole
  displayName?: string | null
  present: MemberRow | undefined
  isOfTeam: boolean
}

async function keepRow(work: TxWork<TeamWork['directory']>, kept: ToKeep): Promise<string> {
  const { address, role, displayName, present, isOfTeam } = kept
  const status = isOfTeam ? { status: 'active', joined_at: now, invite_expires_at: null } : { status: 'invited' }
  if (present) {
    const named = displayName === undefined ? {} : { display_name: displayName }
    await updateMemberRow(work.db, work.directory, present.id, { role, ...named, ...status })
    return present.id
  }
  const { accountId: account_id, organizationId: organization_id } = work.directory
  const id = newId()
  const who = { email: address.email, email_norm: address.norm, display_name: displayName ?? null }
  await insertMemberRow(work.db, { id, account_id, organization_id, role, ...who, ...status })
  return id
}

/** The membership that an invitation is for, open or not. Throws `invite_not_found`. */
export async function getInviteRow({ db, directory }: Work<AccountScope>, id: string): Promise<MemberRow> {
  const row = isId(id.toLowerCase()) ? await findMemberRow(db, directory, id.toLowerCase()) : undefined
  if (!row) throw inviteErrors.notFound()
  return row
}

/** Withdraws an invitation. Throws `invite_not_found`, `invite_accepted`, `privilege_escalation`. */
export async function withdrawInvite(work: TeamWork, id: string): Promise<void> {
  await inTx(work, async (work) => {
    await lockTeam(work.db, work.directory)
    const row = await getInviteRow(work, id)
    if (row.status === 'active')
      throw inviteErrors.accepted({ detail: 'They have joined: DELETE /v1/members/{membershipId} removes them.' })
    assertMayChange(work.caller, row.role, null)
    await deleteMemberRow(work.db, work.directory, row.id)
    await endAccess(work, row.email_norm)
  })
}
