import { foreignLocale } from '../../platform/messages/locale.ts'
import { type Adapter, flagOf, isObject, metadataOf, personOf, phoneOnly, textOf } from './person.ts'

/**
 * Amazon Cognito: CSV with the header of a user pool, and the JSON of `aws cognito-idp list-users`. Neither has
 * passwords: Cognito does not export them.
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-using-import-tool-csv-header.html
 * https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_ListUsers.html
 */
export const fromCognito: Adapter = (record) => {
  const user = { ...record, ...attributesOf(record['Attributes']) }
  const custom = Object.entries(user).filter(([key]) => key.startsWith('custom:'))
  const fields = {
    email: textOf(user['email']),
    emailVerified: flagOf(user['email_verified']),
    displayName: textOf(user['name']),
    firstName: textOf(user['given_name']),
    lastName: textOf(user['family_name']),
    phone: textOf(user['phone_number']),
    locale: foreignLocale(user['locale']),
    externalId: textOf(user['sub'], user['cognito:username'], user['Username']),
    metadata: metadataOf(Object.fromEntries(custom.map(([key, value]) => [key.slice('custom:'.length), value]))),
  }
  if (fields.email === undefined) {
    const leftOut = fields.phone === undefined ? noAddress : phoneOnly
    return { fields: personOf(fields, null).fields, leftOut }
  }
  return personOf(fields, null, { inactive: flagOf(user['Enabled']) === false })
}

const noAddress = { code: 'no_address', reason: 'A person without an email address.' }

function attributesOf(list: unknown): Record<string, unknown> {
  if (!Array.isArray(list)) return {}
  return Object.fromEntries(list.filter(isObject).map((each) => [String(each['Name']), each['Value']]))
}
