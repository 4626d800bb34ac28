import { importedHashTypes } from '../../platform/crypto/password-format.ts'

const fields: Record<string, string> = {
  line: 'The record cannot be read.',
  phone: 'The phone number needs at least four digits, such as +14155550123.',
  externalId: 'externalId is longer than 255 characters, or has control characters.',
  metadata: 'metadata is not a JSON object of at most 50 keys and 16 KiB.',
  emailVerified: 'emailVerified is neither true nor false.',
  passwordHash: 'The password hash does not match its type, or is too expensive to verify.',
  passwordHashType: `The type of the password hash is missing or unknown: use one of ${importedHashTypes.join(', ')}.`,
}

/** A `failed.error` of the bulk route in words. */
export function reasonOf(error: string, email: string | null): string {
  if (error === 'invalid_email')
    return email === null ? 'The email address is missing.' : 'The email address is invalid.'
  if (error === 'external_id_taken')
    return 'Another user, or a row before this one, has this externalId: see "external_id_taken" in docs/import.md.'
  const [field = ''] = error.replace('invalid_field:', '').split('.')
  return (
    fields[field] ??
    `${field} must be a line of at most 200 characters without control characters and marks that change its direction.`
  )
}
