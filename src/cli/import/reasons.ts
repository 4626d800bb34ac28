import { importedHashTypes } from '../../features/credentials/credentials.ts'

const fields: Record<string, string> = {
  line: 'The record cannot be read.',
  phone: 'The phone number is none of at least four digits, such as +14155550123.',
  externalId: 'externalId is longer than 255 characters, or has control characters.',
  metadata: 'metadata is no JSON object of at most 50 keys and 16 KiB.',
  emailVerified: 'emailVerified is neither true nor false.',
  passwordHash: 'The password hash is not of the form of its type, or costs more to verify than is allowed.',
  passwordHashType: `The type of the password hash is missing or not known: use one of ${importedHashTypes.join(', ')}.`,
}

/** What a `failed.error` of the bulk route means, in words. */
export function reasonOf(error: string, email: string | null): string {
  if (error === 'invalid_email') return email === null ? 'There is no e-mail address.' : 'This is no e-mail address.'
  const [field = ''] = error.replace('invalid_field:', '').split('.')
  return fields[field] ?? `${field} is no line of at most 200 characters without control characters.`
}
