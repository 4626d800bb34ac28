import { importedHashTypes } from '../../platform/crypto/password-format.ts'

const fields: Record<string, string> = {
  line: 'The record cannot be read.',
  phone: 'The phone number needs at least four digits, such as +14155550123.',
  externalId: 'externalId is longer than 255 characters, or has control characters.',
  metadata: 'metadata is not a JSON object of at most 50 keys and 16 KiB.',
  emailVerified: 'emailVerified is neither true nor false.',
  role: 'role is neither admin nor member.',
  roleIds: 'roles must be a list of at most 50 slugs or ids of roles.',
  totpSecret:
    'totpSecret must be base32 of 10 to 64 bytes, or an otpauth://totp/ URI with SHA1, 6 digits and 30 seconds.',
  passwordHash: 'The password hash does not match its type, or is too expensive to verify.',
  passwordHashType: `The type of the password hash is missing or unknown: use one of ${importedHashTypes.join(', ')}.`,
}

const codes: Record<string, string> = {
  service_disabled:
    'A service that the row needs is off in the organization: rbac for role and roles, mfa for totpSecret.',
  method_disabled: 'The organization does not allow authenticator apps.',
}

/** Describes a `failed.error` of the bulk route. */
export function reasonOf(error: string, email: string | null, unknownRole?: string): string {
  if (error === 'invalid_email')
    return email === null ? 'The email address is missing.' : 'The email address is invalid.'
  if (error === 'external_id_taken')
    return 'Another user, or a row before this one, has this externalId: see "external_id_taken" in docs/directory/import.md.'
  if (unknownRole !== undefined) return `The organization has no role “${unknownRole}”.`
  const known = codes[error]
  if (known !== undefined) return known
  const [field = ''] = error.replace('invalid_field:', '').split('.')
  return (
    fields[field] ??
    `${field} must be a line of at most 200 characters without control characters and marks that change its direction.`
  )
}
