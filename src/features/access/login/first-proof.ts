import { hashIdentity } from '../../../platform/crypto/identity.ts'
import { changedFrom, joinedEventRow } from '../../../platform/events/events.ts'
import { newId } from '../../../platform/ids.ts'
import { defineJoined, type JoinedLead } from '../../../platform/joined/joined.ts'
import type { ConditionKind, UsedCondition } from '../../../platform/joined/proofs.ts'
import { joinText, nameText, sqlText } from '../../../platform/joined/sql-text.ts'
import { belongingsOf } from '../../../platform/lifecycle/belongings.ts'
import { perPlatform } from '../../../platform/platform.ts'
import { lockText } from '../../../platform/tenancy/user-lock.ts'
import type { Work } from '../../../platform/work.ts'
import { SELF_SERVICE } from '../../directory/users/strangers/strangers.ts'
import { toUser, type UserRow, userEvents } from '../../directory/users/users.ts'
import type { SignInFacts } from './sign-in-facts.ts'

/**
 * The first proof of a mailbox by a user who has set nothing up before. The statement of the sign-in writes this
 * proof as well.
 */
export interface FirstProof {
  /** Holds as long as `applyMailboxProof` would find nothing to remove. */
  nothingBefore: UsedCondition
  /** Locks the user first, so that the sign-in sees everything that was set up until then. */
  lead: JoinedLead
}

/**
 * The data that a sign-in needs to include a first proof of the mailbox. Null if the facts show that the user has set
 * something up: a user who had a session or a password has an auth account. Null for a sign-up too, because its proof
 * does more.
 */
export function firstProofOf(work: Work, facts: SignInFacts, linkId: string | null): FirstProof | null {
  const hasSetUp = facts.auth_account_id !== null || facts.invited || facts.mfa_enrolled || facts.passkey_count > 0
  if (hasSetUp || facts.pending) return null
  const emailNorm = facts.email.toLowerCase()
  // Made before the ids of the sign-in's events, since events of one transaction are ordered by their ids.
  const eventId = newId()
  return {
    nothingBefore: {
      kind: nothingBefore(work.platform),
      values: { mailbox_identity: hashIdentity(work.platform, emailNorm), spared_link: linkId },
    },
    lead: {
      statement: lockUser,
      row: { user_id: facts.user_id, email_norm: emailNorm, epoch: facts.epoch },
      complete: (locked: LockedRow) => [{ ...joinedEventRow(work, verified(work, locked)), id: eventId }],
    },
  }
}

/** Columns of the user's row that `applyMailboxProof` also sets. The time is `ready.at`. */
export const PROVEN = sqlText`email_verified = true, epoch = users.epoch + 1, version = users.version + 1,
      updated_at = ready.at`

type LockedRow = UserRow & { at: Date }

const lockUser = defineJoined<LockedRow>()({
  columns: { user_id: 'uuid', email_norm: 'text', epoch: 'int' },
  order: sqlText`directory_id, user_id`,
  text: ({ directory, lock }) => sqlText`
    select asked.n, clock.at, person.* from clock cross join asked cross join lateral (
      select *, ${lockText(sqlText`users`, sqlText`clock.at`)} as locked from users
      where directory_id = ${directory('asked')} and id = asked.user_id and email_norm = asked.email_norm
        and epoch = asked.epoch and not email_verified and pending_until is null and deleted_at is null
      ${lock}) person`,
})

function verified({ directory }: Work, { at, ...before }: LockedRow) {
  const after = { ...before, email_verified: true, version: before.version + 1, updated_at: at }
  const data = toUser(after, directory.organizationId)
  const previous = changedFrom(toUser(before, directory.organizationId), data)
  return userEvents.emailVerified({ target: { type: 'user', id: before.id }, data, previous })
}

const nothingBefore = perPlatform(
  (platform): ConditionKind => ({
    name: 'nothing-before',
    columns: { mailbox_identity: 'bytea', spared_link: 'uuid' },
    holds: (directory) => {
      const removed = belongingsOf(platform).filter(({ proof }) => typeof proof === 'function')
      const found = removed.map(({ table, setUpBefore }) => {
        const name = nameText(table)
        const isSetUp = setUpBefore ?? sqlText`${name}.user_id = users.id`
        // The limit makes the planner use the indexes. Without it, it might read whole tables.
        return sqlText`(select 1 from ${name} where ${name}.directory_id = ${directory} and ${isSetUp} limit 1) is null`
      })
      // If the user signed up themselves, what they typed is removed, too.
      const sources = SELF_SERVICE.map((source) => sqlText`'${nameText(source)}'`)
      return joinText([sqlText`users.source not in (${joinText(sources, ', ')})`, ...found], ' and ')
    },
  }),
)
