import { defineAttribute as define, defineResourceType, type ScimAttribute, type ScimSchema } from './schema.ts'

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE_USER_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** The only attribute that may have very many values. */
// Not a table members: RFC 7643 calls an attribute of groups `members`.
export const MEMBERS = 'members'

/** The usual parts of a multi-valued attribute (RFC 7643 §2.4). */
function values(
  name: string,
  description: string,
  types: string[],
  value: Partial<Pick<ScimAttribute, 'type' | 'referenceTypes' | 'caseExact' | 'uniqueness'>> = {},
): ScimAttribute {
  return define(name, description, {
    multiValued: true,
    subAttributes: [
      define('value', 'The value itself.', value),
      define('display', 'The value for people to read.'),
      define('type', 'What the value is for.', types.length > 0 ? { canonicalValues: types } : {}),
      define('primary', 'Whether it is the preferred one; true of one value at most.', { type: 'boolean' }),
    ],
  })
}

const NAME = define('name', "The parts of the user's name.", {
  subAttributes: [
    define('formatted', 'The whole name, as it is displayed.'),
    define('familyName', 'The family name.'),
    define('givenName', 'The given name.'),
    define('middleName', 'The middle names.'),
    define('honorificPrefix', 'What stands before the name, such as "Dr.".'),
    define('honorificSuffix', 'What stands behind the name, such as "III".'),
  ],
})

const ADDRESSES = define('addresses', 'Postal addresses of the user.', {
  multiValued: true,
  subAttributes: [
    define('formatted', 'The whole address, as it is displayed.'),
    define('streetAddress', 'Street and number, which may have several lines.'),
    define('locality', 'The city.'),
    define('region', 'The state or region.'),
    define('postalCode', 'The postal code.'),
    define('country', 'The country, by its two letters of ISO 3166-1.'),
    define('type', 'What the address is for.', { canonicalValues: ['work', 'home', 'other'] }),
    define('primary', 'Whether it is the preferred one; true of one address at most.', { type: 'boolean' }),
  ],
})

const GROUPS = define('groups', 'The groups that the user is a member of; changed by the groups themselves.', {
  multiValued: true,
  mutability: 'readOnly',
  subAttributes: [
    define('value', 'The id of the group.', { mutability: 'readOnly' }),
    define('$ref', 'The address of the group.', {
      type: 'reference',
      referenceTypes: ['User', 'Group'],
      mutability: 'readOnly',
    }),
    define('display', 'The name of the group.', { mutability: 'readOnly' }),
    define('type', 'Whether the membership is direct.', {
      mutability: 'readOnly',
      canonicalValues: ['direct', 'indirect'],
    }),
  ],
})

/** RFC 7643 §4.1, with the characteristics of §8.7.1. */
const userSchema: ScimSchema = {
  id: USER_SCHEMA,
  name: 'User',
  description: 'User Account',
  attributes: [
    define(
      'userName',
      'The name of the user in the directory. It must be an email address unless emails has one. Unique in any case.',
      { required: true, uniqueness: 'server' },
    ),
    NAME,
    define('displayName', 'The name of the user, for people to read.'),
    define('nickName', 'What the user is called casually.'),
    define('profileUrl', 'The address of a page about the user.', { type: 'reference', referenceTypes: ['external'] }),
    define('title', 'The user\'s title, such as "Vice President".'),
    define('userType', 'What the user is to the organization, such as "Employee".'),
    define('preferredLanguage', 'The preferred languages, as in Accept-Language.'),
    define('locale', 'The locale for dates, numbers and currency, such as "en-US".'),
    define('timezone', 'The time zone, such as "Europe/Berlin".'),
    define('active', 'Whether the user may sign in.', { type: 'boolean' }),
    values(
      'emails',
      'Email addresses of the user. Required unless the userName is an address. The primary one, or else that of work, ' +
        'is the address for sign-ins and mails, and is unique in any case.',
      ['work', 'home', 'other'],
      { uniqueness: 'server' },
    ),
    values('phoneNumbers', 'Phone numbers of the user.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    values('ims', 'Instant messaging addresses of the user.', [
      'aim',
      'gtalk',
      'icq',
      'xmpp',
      'msn',
      'skype',
      'qq',
      'yahoo',
    ]),
    values('photos', 'Addresses of photos of the user.', ['photo', 'thumbnail'], {
      type: 'reference',
      referenceTypes: ['external'],
    }),
    ADDRESSES,
    GROUPS,
    values('entitlements', 'Entitlements of the user.', []),
    // Not a table roles: RFC 7643 calls an attribute of users `roles`.
    values('roles', 'Roles of the user.', []),
    values('x509Certificates', 'Certificates of the user.', [], { type: 'binary' }),
  ],
}

/** RFC 7643 §4.2, which requires `displayName`. `members.display` appears in §8.4. */
const groupSchema: ScimSchema = {
  id: GROUP_SCHEMA,
  name: 'Group',
  description: 'Group',
  attributes: [
    define('displayName', 'The name of the group, for people to read. Unique in any case.', {
      required: true,
      uniqueness: 'server',
    }),
    define(MEMBERS, 'The members of the group.', {
      multiValued: true,
      subAttributes: [
        define('value', 'The id of the member.', { mutability: 'immutable' }),
        define('$ref', 'The address of the member.', {
          type: 'reference',
          referenceTypes: ['User', 'Group'],
          mutability: 'immutable',
        }),
        define('type', 'The type of the member.', { mutability: 'immutable', canonicalValues: ['User', 'Group'] }),
        define('display', 'The name of the member.', { mutability: 'immutable' }),
      ],
    }),
  ],
}

/** RFC 7643 §4.3. */
const enterpriseUserSchema: ScimSchema = {
  id: ENTERPRISE_USER_SCHEMA,
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    define('employeeNumber', 'The number that the organization gave the user.'),
    define('costCenter', 'The name of a cost center.'),
    define('organization', 'The name of an organization.'),
    define('division', 'The name of a division.'),
    define('department', 'The name of a department.'),
    define('manager', "The user's manager.", {
      subAttributes: [
        define('value', 'The id of the manager.'),
        define('$ref', 'The address of the manager.', { type: 'reference', referenceTypes: ['User'] }),
        define('displayName', 'The name of the manager.', { mutability: 'readOnly' }),
      ],
    }),
  ],
}

/**
 * Accepted in any spelling and never stored (RFC 7643 §4.1). No schema lists it, because the service accepts no
 * password from a client.
 */
const PASSWORD = define('password', 'Ignored.', { mutability: 'writeOnly', returned: 'never' })

export const userType = defineResourceType(userSchema, [enterpriseUserSchema], [PASSWORD])
export const groupType = defineResourceType(groupSchema, [])
