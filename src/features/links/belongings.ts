import type { Belonging, UserChange } from '../../platform/belongings.ts'
import { hashIdentity } from '../../platform/crypto/identity.ts'
import type { TxWork } from '../../platform/work.ts'
import { mailedPurposes } from './purposes.ts'
import { closeLinkRows } from './store.ts'

const withdrawn = ({ platform, db, directory }: TxWork, { user, linkId, keepsSessions }: UserChange) => {
  const identity = hashIdentity(platform, user.email_norm)
  const spared = keepsSessions ? mailedPurposes().filter(({ opensNothing }) => opensNothing) : []
  const sparedPurposes = spared.map(({ name }) => name)
  return { query: closeLinkRows(db, directory, { userId: user.id, identity, exceptId: linkId, sparedPurposes }) }
}

/** What a user has of links: those issued for them, and those on their way to the address. */
export const linkBelongings: Belonging[] = [
  {
    table: 'links',
    proof: withdrawn,
    cutOff: withdrawn,
    removal: withdrawn,
    move: withdrawn,
    setUpBefore: `(links.user_id = users.id or links.identity = asked.mailbox_identity)
      and links.used_at is null and links.closed_at is null and links.expires_at > (select at from clock)
      and links.id is distinct from asked.spared_link`,
  },
]
