import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/pool.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { type EmailAddress, parseEmail } from '../../../platform/mail/address.ts'
import { isName } from '../../../platform/schema.ts'
import { isSlug } from '../../../platform/slug.ts'
import { addOrganization } from '../organizations/organizations.ts'
import { createAccount, DEFAULT_ACCOUNT_NAME, type NewAccount } from './accounts.ts'
import { accountErrors } from './errors.ts'
import {
  ensureConsoleDirectoryRow,
  findHomeAccountRow,
  hasOwnerRow,
  insertConsoleUserRow,
  insertMemberRow,
  lockAccounts,
  renameAccountRow,
} from './store.ts'

export interface AccountSetup {
  accountName: string
  ownerEmail: string
  ownerName?: string
  organizationName: string
  organizationSlug: string
}

export interface CreatedAccount extends NewAccount {
  organizationId: string
  membershipId: string
  /** The owner's directory user in the console directory. */
  ownerUserId: string
}

/**
 * Sets an account up with its owner and first organization. Uses the account that the first start created, if it has
 * no members yet; otherwise creates an account. Throws `invalid_request`, `account_exists` if an account of this name
 * already has an owner, `slug_taken`.
 */
export async function setUpAccount(tx: Tx, setup: AccountSetup): Promise<CreatedAccount> {
  const accountName = readName('The account', setup.accountName)
  const organizationName = readName('The organization', setup.organizationName)
  const owner = readOwner(setup.ownerEmail)
  const ownerName = setup.ownerName?.trim() ? readName('The owner', setup.ownerName) : null
  const { organizationSlug: slug } = setup
  if (!isSlug(slug))
    throw httpErrors.invalidRequest({
      detail: 'The organization slug must have up to 63 characters: a-z, 0-9 and single hyphens between them.',
    })
  await lockAccounts(tx)
  if (await hasOwnerRow(tx, accountName))
    throw accountErrors.accountExists({ detail: `The account ${accountName} already has an owner.` })
  const account = (await adoptDefaultAccount(tx, accountName)) ?? (await createAccount(tx, accountName))
  const { accountId } = account
  const ownerIds = await insertOwner(tx, account, owner, ownerName)
  const organizationId = await addOrganization(tx, {
    ...{ accountId, parentId: null, homeEnvironmentId: null },
    ...{ name: organizationName, slug },
  })
  return { ...account, ...ownerIds, organizationId }
}

async function adoptDefaultAccount(tx: Tx, accountName: string): Promise<NewAccount | null> {
  const home = await findHomeAccountRow(tx)
  if (!home || home.name !== DEFAULT_ACCOUNT_NAME || home.has_members) return null
  await renameAccountRow(tx, home.id, accountName)
  return { accountId: home.id, productionId: home.production_id, stagingId: home.staging_id }
}

async function insertOwner(tx: Tx, account: NewAccount, owner: EmailAddress, displayName: string | null) {
  const { accountId, productionId } = account
  const membershipId = newId()
  const ownerUserId = newId()
  await insertMemberRow(tx, {
    id: membershipId,
    account_id: accountId,
    email: owner.email,
    email_norm: owner.norm,
    display_name: displayName,
    role: 'owner',
    status: 'active',
    joined_at: sql`clock_now()`,
  })
  const directoryId = await ensureConsoleDirectoryRow(tx, {
    id: newId(),
    account_id: accountId,
    environment_id: productionId,
  })
  await insertConsoleUserRow(tx, {
    directory_id: directoryId,
    id: ownerUserId,
    environment_id: productionId,
    email: owner.email,
    email_norm: owner.norm,
    // The address was only typed during setup. The owner's first sign-in proves it.
    email_verified: false,
    display_name: displayName,
    role: 'admin',
    own_role: 'admin',
    source: 'api',
  })
  return { membershipId, ownerUserId }
}

function readName(what: string, text: string): string {
  const name = text.trim()
  if (isName(name)) return name
  throw httpErrors.invalidRequest({ detail: `${what} needs a name of one line, of 1 to 200 characters.` })
}

function readOwner(text: string): EmailAddress {
  const owner = parseEmail(text)
  if (!owner) throw httpErrors.invalidRequest({ detail: 'The address of the owner is not an email address.' })
  return owner
}
