import { sql } from 'kysely'
import { hashIdentity } from '../../../platform/crypto/identity.ts'
import { sqlText } from '../../../platform/joined/sql-text.ts'
import { type Belonging, exportsColumns, type UserChange } from '../../../platform/lifecycle/belongings.ts'
import type { EndReason } from '../../../platform/lifecycle/end-reasons.ts'
import type { TxWork } from '../../../platform/work.ts'
import { userEndReasons } from '../../directory/users/changes/changes.ts'
import { type MailedPurpose, mailedPurposes } from './purposes/purposes.ts'
import { closeLinkRows } from './store.ts'

/** A withdrawn link as JSON. */
export interface WithdrawnLink {
  id: string
  purpose: string
  user_id: string | null
  auth_account_id: string | null
  organization_id: string | null
  details: Record<string, unknown>
  created_at: string
  expires_at: string
  closed_at: string
}

const { user_deactivated: DEACTIVATED, email_changed: ADDRESS_CHANGED } = userEndReasons
const CHANGES: readonly EndReason[] = [DEACTIVATED, ADDRESS_CHANGED]

const withdraw = (
  { platform, db, directory }: TxWork,
  { user, linkId }: UserChange,
  spared: readonly MailedPurpose[],
) => {
  const identity = hashIdentity(platform, user.email_norm)
  const sparedPurposes = spared.map(({ name }) => name)
  return closeLinkRows(db, directory, { userId: user.id, identity, exceptId: linkId, sparedPurposes })
}

const COLUMNS = ['purpose', 'user_id', 'details', 'created_at', 'expires_at', 'closed_at'] as const

/** Withdraws the links of a user, except those of spared purposes, and returns the columns for the events. */
const withdrawnBut = (work: TxWork, change: UserChange, isSpared: (purpose: MailedPurpose) => boolean) => ({
  query: withdraw(work, change, mailedPurposes().filter(isSpared)).returning([
    ...COLUMNS,
    sql<string | null>`${change.user.auth_account_id}::uuid`.as('auth_account_id'),
    sql<string | null>`${work.directory.organizationId}::uuid`.as('organization_id'),
  ]),
})

const withdrawn = (work: TxWork, change: UserChange) => withdrawnBut(work, change, () => false)

const isOfMembership = ({ directory }: TxWork, { belongsToMembership }: MailedPurpose) =>
  belongsToMembership === true && directory.kind === 'console'

const withdrawnByProof = (work: TxWork, change: UserChange) =>
  withdrawnBut(work, change, (purpose) => isOfMembership(work, purpose))

// A user with an unproved address may be a stranger, who must not be able to withdraw the owner's links.
const isOwnActOfUnproved = ({ origin }: TxWork, { user }: UserChange) =>
  !user.email_verified && origin.actor.type === 'user' && origin.actor.id === user.id

const cutOff = (work: TxWork, change: UserChange) => {
  const { keepsSessions, reason } = change
  const isSpared = (purpose: MailedPurpose) =>
    isOfMembership(work, purpose) ||
    (keepsSessions === true && purpose.opensNothing === true) ||
    (purpose.endsBy !== undefined && !purpose.endsBy.includes(reason)) ||
    (purpose.provesMailbox === true && reason !== ADDRESS_CHANGED && isOwnActOfUnproved(work, change))
  const withdrawal = withdrawnBut(work, change, isSpared)
  // Other cut-offs record their own events, such as `auth.password.changed`.
  return CHANGES.includes(reason) ? withdrawal : { ...withdrawal, isSilent: true as const }
}

/**
 * The links of a user: those issued for the user and those mailed to the address. `announce` records links that end
 * with a first proof.
 */
export const linkBelongings = (
  announce: NonNullable<Belonging<WithdrawnLink>['announce']>,
): Belonging<WithdrawnLink>[] => [
  {
    table: 'links',
    proof: withdrawnByProof,
    cutOff,
    removal: withdrawn,
    move: withdrawn,
    exports: exportsColumns(
      'links',
      'created_at',
      'id purpose created_at expires_at used_at closed_at',
      'identity token_hash details open_invite_until tagged environment_id',
    ),
    setUpBefore: sqlText`(links.user_id = users.id or links.identity = asked.mailbox_identity)
      and links.used_at is null and links.closed_at is null and links.expires_at > (select at from clock)
      and links.id is distinct from asked.spared_link`,
    announce,
  },
]
