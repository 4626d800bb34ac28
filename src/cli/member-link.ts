import { findUserByEmail } from '../features/directory/users/users.ts'
import { printResetOf } from '../features/sign-in/password/administration.ts'
import { directoryOfMembership, inTeam } from '../features/tenancy/members/access.ts'
import { memberErrors } from '../features/tenancy/members/errors.ts'
import { memberEvents, type PrintedLink } from '../features/tenancy/members/events.ts'
import { sendInvitation } from '../features/tenancy/members/inviting.ts'
import type { MemberRow } from '../features/tenancy/members/schema.ts'
import { listRowsOfAddress, lockTeam } from '../features/tenancy/members/store.ts'
import { prepareTeam } from '../features/tenancy/members/turns.ts'
import { record } from '../platform/events/events.ts'
import { requireEmail } from '../platform/mail/address.ts'
import { type AccountTxWork, type AccountWork, inTx } from '../platform/work.ts'

// The command line prints the link. For every other caller, creating such a link is refused.
const PRINTED = { redirectTo: null, deliver: false }

/**
 * Makes a link for the command line to print: a password reset for an active member, such as the first owner, or else
 * the renewed link of an invitation. Records `member.link_printed`. Throws `member_not_found` and
 * `invalid_request`. Only the command line may call this: for any other actor it throws `team_link_withheld`.
 */
export async function printLink(
  work: AccountWork,
  email: string,
): Promise<Pick<PrintedLink, 'membershipId' | 'email' | 'purpose'> & { url: string }> {
  const { norm } = requireEmail(email)
  await prepareTeam(work.platform, work.account.accountId)
  return inTx(work, async (work) => {
    await lockTeam(work.db, work.account)
    const rows = await listRowsOfAddress(work.db, work.account, norm)
    const row = rows.find(isOfAccount) ?? rows.find(isActive) ?? rows[0]
    if (!row) throw memberErrors.notFound({ detail: 'No member of the team and no invitation has this address.' })
    const url = isActive(row) ? await resetLink(work, row) : await invitationLink(work, row)
    if (url === null) throw new Error('A link that is printed has no URL')
    const purpose = isActive(row) ? ('password_reset' as const) : ('invite' as const)
    const data = { membershipId: row.membership_id, email: row.email, purpose }
    const directory = await directoryOfMembership(work, row.organization_id)
    const target = { type: 'member', id: row.membership_id }
    await record({ ...work, directory }, memberEvents.linkPrinted({ target, data }))
    return { ...data, url }
  })
}

const isActive = ({ status }: MemberRow) => status === 'active'

const isOfAccount = (row: MemberRow) => isActive(row) && row.organization_id === null

async function resetLink(work: AccountTxWork, { email_norm }: MemberRow): Promise<string | null> {
  const team = await inTeam(work)
  const user = await findUserByEmail(team, email_norm)
  if (!user) throw memberErrors.notFound({ detail: 'This member has no user in the directory of the team.' })
  return printResetOf(team, user.id)
}

async function invitationLink(work: AccountTxWork, row: MemberRow): Promise<string | null> {
  return (await sendInvitation(work, { row, delivery: PRINTED })).url
}
