import { inTeam } from '../features/members/access.ts'
import { memberErrors } from '../features/members/errors.ts'
import { memberEvents, type PrintedLink } from '../features/members/events.ts'
import { sendInvitation } from '../features/members/inviting.ts'
import type { MemberRow } from '../features/members/schema.ts'
import { listRowsOfAddress, lockTeam } from '../features/members/store.ts'
import { sendResetTo } from '../features/password/password.ts'
import { findUserByEmail } from '../features/users/users.ts'
import { record } from '../platform/events.ts'
import { type AccountScope, directoryOfOrganization } from '../platform/http/directory.ts'
import { requireEmail } from '../platform/mail/address.ts'
import { inTx, type TxWork, type Work } from '../platform/work.ts'

// The command line prints the link. Every other caller is refused where links are made.
const PRINTED = { redirectTo: null, deliver: false }

/**
 * Makes a link for the command line to print: a password reset for an active member, such as the first owner, or else the
 * link of an invitation, which is renewed. Records `member.link_printed`. Throws `member_not_found`, `invalid_request`,
 * `rate_limited`, and `team_link_withheld` for any other origin than the command line.
 */
export async function printLink(
  work: Work<AccountScope>,
  email: string,
): Promise<Pick<PrintedLink, 'membershipId' | 'email' | 'purpose'> & { url: string }> {
  const { norm } = requireEmail(email)
  return inTx(work, async (work) => {
    await lockTeam(work.db, work.directory)
    const rows = await listRowsOfAddress(work.db, work.directory, norm)
    const row = rows.find(({ status }) => status === 'active') ?? rows[0]
    if (!row) throw memberErrors.notFound({ detail: 'No member of the team and no invitation has this address.' })
    const url = row.status === 'active' ? await resetLink(work, row) : await invitationLink(work, row)
    if (url === null) throw new Error('A link that is printed has no URL')
    const purpose = row.status === 'active' ? ('password_reset' as const) : ('invite' as const)
    const data = { membershipId: row.membership_id, email: row.email, purpose }
    const directory = row.organization_id
      ? await directoryOfOrganization(work.platform, work.directory, row.organization_id)
      : work.directory.directory
    const target = { type: 'member', id: row.membership_id }
    await record({ ...work, directory }, memberEvents.linkPrinted({ target, data }))
    return { ...data, url }
  })
}

async function resetLink(work: TxWork<AccountScope>, { email_norm }: MemberRow): Promise<string | null> {
  const team = await inTeam(work)
  const user = await findUserByEmail(team, email_norm)
  if (!user) throw memberErrors.notFound({ detail: 'This member has no user in the directory of the team.' })
  return (await sendResetTo(team, user.id, PRINTED)).url
}

async function invitationLink(work: TxWork<AccountScope>, row: MemberRow): Promise<string | null> {
  return (await sendInvitation(work, { row, limitedTo: null, delivery: PRINTED })).url
}
