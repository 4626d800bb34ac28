import type { EmailAddress } from '../../../platform/mail/address.ts'
import { own, type ScimObject } from '../language/json.ts'
import { scimError, scimErrors } from '../scim/scim.ts'
import { findAddress, inOrder, type Profile, toProfile } from './profile.ts'
import { withoutOwnAttributes } from './resource.ts'
import type { Email } from './store.ts'

/** What a client sends about a user, in the form in which it is stored. */
export interface ScimInput {
  userName: string
  externalId: string | null
  address: EmailAddress
  profile: Profile
  /** Null if the client does not send it. */
  active: boolean | null
  resource: ScimObject
  emails: Email[]
}

const MAX_NAME = 320
const MAX_BYTES = 64 * 1024

/**
 * Reads a resource in the schemas' spelling. `kept` is the user's address if the resource has no new one. `stored` is
 * what is stored instead of the resource. Throws `scim_invalid_value`.
 */
export function readScimInput(
  resource: ScimObject,
  { kept = null, toStore = resource }: { kept?: EmailAddress | null; toStore?: ScimObject } = {},
): ScimInput {
  const address = kept ?? findAddress(resource)
  if (!address)
    throw scimError(scimErrors.invalidValue, 'A user needs an e-mail address: in emails, or as the userName.')
  const active = own(resource, 'active')
  const stored = withoutOwnAttributes(toStore)
  if (Buffer.byteLength(JSON.stringify(stored)) > MAX_BYTES)
    throw scimError(scimErrors.invalidValue, 'A user has at most 64 KiB of attributes.')
  return {
    userName: textOf(resource, 'userName') ?? address.email,
    externalId: textOf(resource, 'externalId'),
    address,
    profile: toProfile(resource),
    active: typeof active === 'boolean' ? active : null,
    resource: stored,
    emails: toEmails(stored, address.email),
  }
}

function textOf(resource: ScimObject, name: string): string | null {
  const value = own(resource, name)
  if (typeof value !== 'string' || value === '') return null
  if (value.length > MAX_NAME) throw scimError(scimErrors.invalidValue, `${name} has at most ${MAX_NAME} characters.`)
  return value
}

/** The addresses to search by, or the userName if there are none. */
function toEmails({ emails }: ScimObject, email: string): Email[] {
  const said = inOrder(emails).flatMap(({ value, type, primary }) =>
    typeof value === 'string' && value.length <= MAX_NAME
      ? [{ value, type: typeof type === 'string' ? type : null, is_primary: primary === true }]
      : [],
  )
  return said.length > 0 ? said : [{ value: email, type: 'work', is_primary: true }]
}
