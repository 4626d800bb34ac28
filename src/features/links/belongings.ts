import { type Belonging, tells, type UserChange } from '../../platform/belongings.ts'
import { hashIdentity } from '../../platform/crypto/identity.ts'
import type { TxWork } from '../../platform/work.ts'
import { type MailedPurpose, mailedPurposes } from './purposes.ts'
import { closeLinkRows } from './store.ts'

const withdraw = (
  { platform, db, directory }: TxWork,
  { user, linkId }: UserChange,
  spared: readonly MailedPurpose[] = [],
) => {
  const identity = hashIdentity(platform, user.email_norm)
  const sparedPurposes = spared.map(({ name }) => name)
  return { query: closeLinkRows(db, directory, { userId: user.id, identity, exceptId: linkId, sparedPurposes }) }
}

const withdrawn = (work: TxWork, change: UserChange) => withdraw(work, change)

const cutOff = (work: TxWork, change: UserChange) => {
  const { keepsSessions, reason } = change
  const isSpared = ({ opensNothing, endsBy }: MailedPurpose) =>
    keepsSessions ? opensNothing : endsBy && !endsBy.includes(reason)
  return withdraw(work, change, mailedPurposes().filter(isSpared))
}

/** What a user has of links: those issued for them, and those on their way to the address. */
export const linkBelongings: Belonging[] = [
  {
    table: 'links',
    proof: withdrawn,
    cutOff,
    removal: withdrawn,
    move: withdrawn,
    exports: tells(
      'links',
      'created_at',
      'id purpose created_at expires_at used_at closed_at',
      'identity token_hash details open_invite_until tagged',
    ),
    setUpBefore: `(links.user_id = users.id or links.identity = asked.mailbox_identity)
      and links.used_at is null and links.closed_at is null and links.expires_at > (select at from clock)
      and links.id is distinct from asked.spared_link`,
  },
]
