import { foreignLocale } from '../../../platform/messages/locale.ts'
import { trimLayout, trimXml } from '../xml/read.ts'
import { nameIdFormats } from '../xml/saml-names.ts'
import type { NameId } from './messages.ts'

/**
 * The attributes from which a connection reads each field. Fields that are missing here use the usual attribute names.
 */
export type AttributeMapping = Partial<
  Record<'subject' | 'email' | 'first_name' | 'last_name' | 'display_name' | 'groups', string>
>

/** The person who signed in, as the provider describes them. */
export interface AssertedPerson {
  /** Null if the provider sent no persistent identifier. */
  subject: string | null
  email: string | null
  firstName: string | null
  lastName: string | null
  displayName: string | null
  /** Values by which provisioning may recognize the person, as `externalId` and as `userName`. */
  externalIds: string[]
  userNames: string[]
  /** The entries of `userNames` that the administrators of the provider assign. */
  principalNames: string[]
  /** Null if the provider sent no language, or an invalid one. */
  locale: string | null
  /** Null if the provider sent no group information. */
  groups: string[] | null
  /** The provider says that it asked for a second factor. */
  saysTwoFactor: boolean
}

/** The data about a person in an assertion. */
interface PersonAssertion {
  nameId: NameId
  /** The exact text of values, by the name of the attribute. */
  attributes: Map<string, string[]>
  authnContext: string | null
}

const CLAIMS = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/'
const MICROSOFT = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/'

// The names of attributes that Okta, Entra ID, Google, AD FS, OneLogin, JumpCloud and Keycloak use by default, or that
// their guides propose. They are compared without regard to case.
const USUAL_NAMES = {
  subject: [],
  email: [
    'email',
    'mail',
    'emailAddress',
    'User.email',
    `${CLAIMS}emailaddress`,
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
  ],
  first_name: ['firstName', 'first_name', 'givenName', 'User.FirstName', `${CLAIMS}givenname`, 'urn:oid:2.5.4.42'],
  last_name: ['lastName', 'last_name', 'surname', 'sn', 'User.LastName', `${CLAIMS}surname`, 'urn:oid:2.5.4.4'],
  display_name: [
    'displayName',
    'display_name',
    'http://schemas.microsoft.com/identity/claims/displayname',
    'urn:oid:2.16.840.1.113730.3.1.241',
  ],
  groups: [
    'groups',
    'group',
    'memberOf',
    `${MICROSOFT}groups`,
    'http://schemas.xmlsoap.org/claims/Group',
    `${MICROSOFT}role`,
    'Role',
  ],
}

// RFC 2798 §2.7, and as the claim of OpenID Connect.
const LOCALES = ['preferredLanguage', 'urn:oid:2.16.840.1.113730.3.1.39', 'locale']

// Contexts (SAML authentication context §3.4, REFEDS MFA profile) and values of Entra ID and RFC 8176.
const TWO_FACTOR = new Set([
  'urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorContract',
  'urn:oasis:names:tc:SAML:2.0:ac:classes:MobileTwoFactorUnregistered',
  'https://refeds.org/profile/mfa',
  'http://schemas.microsoft.com/claims/multipleauthn',
])
const METHODS_OF_ENTRA = 'http://schemas.microsoft.com/claims/authnmethodsreferences'

const OBJECT_IDS = ['http://schemas.microsoft.com/identity/claims/objectidentifier', 'oid']
const PRINCIPAL_NAMES = [`${CLAIMS}upn`, 'upn', 'userPrincipalName']

/**
 * Reads the person who signed in, by the mapping of the connection. `externalId`: the attribute that has the externalId of
 * provisioning; null: the subject, the NameID, and the object id of Entra ID. White space of XML around an address or a name of
 * people is layout; around an identifier or the name of a group only if it has a line break.
 */
export function readPerson(
  assertion: PersonAssertion,
  mapping: AttributeMapping,
  externalId: string | null = null,
): AssertedPerson {
  const { nameId, authnContext } = assertion
  const trimmed = (trim: (text: string) => string) =>
    new Map([...assertion.attributes].map(([name, values]) => [name, values.map(trim)]))
  const [attributes, exact] = [trimmed(trimXml), trimmed(trimLayout)]
  const all = (field: keyof AttributeMapping) => valuesOf(attributes, mapping[field] ?? USUAL_NAMES[field])
  const one = (field: keyof AttributeMapping) => all(field)?.[0] ?? null
  const addressed = trimXml(nameId.value)
  const isAddress = nameId.format === nameIdFormats.email || /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(addressed)
  const methods = [
    ...(valuesOf(attributes, METHODS_OF_ENTRA) ?? []),
    ...(valuesOf(attributes, 'amr') ?? []).map((method) => (method === 'mfa' ? [...TWO_FACTOR][0] : method)),
  ]
  const first = (names: string | string[]) => valuesOf(exact, names)?.[0] ?? []
  const name = persistentName(assertion)
  const subject = mapping.subject === undefined ? name : (valuesOf(exact, mapping.subject)?.[0] ?? null)
  const principalNames = [name ?? [], first(PRINCIPAL_NAMES)].flat()
  return {
    subject,
    externalIds:
      externalId === null ? [subject ?? [], name ?? [], first(OBJECT_IDS)].flat() : [first(externalId)].flat(),
    userNames: [...principalNames, first('preferred_username')].flat(),
    principalNames,
    // The administrator chose the mapping. If its attribute is missing, no other attribute replaces it.
    email: one('email') ?? (mapping.email === undefined && isAddress ? addressed : null),
    firstName: one('first_name'),
    lastName: one('last_name'),
    displayName: one('display_name'),
    locale: foreignLocale(valuesOf(attributes, LOCALES)?.[0]),
    groups: valuesOf(exact, mapping.groups ?? USUAL_NAMES.groups),
    saysTwoFactor: [authnContext, ...methods].some((method) => TWO_FACTOR.has(method ?? '')),
  }
}

/** A transient name is another one at each sign-in (SAML core §8.3.8). */
function persistentName({ nameId }: PersonAssertion): string | null {
  return nameId.format === nameIdFormats.transient ? null : nameId.value
}

/** The values of the first attribute that is present. Null if no attribute is present. */
function valuesOf(attributes: PersonAssertion['attributes'], names: string | string[]): string[] | null {
  if (typeof names === 'string') return attributes.get(names) ?? null
  for (const wanted of names)
    for (const [name, values] of attributes)
      if (name.toLowerCase() === wanted.toLowerCase() && values.length > 0) return values
  return null
}
