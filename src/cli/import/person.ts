import type { ImportedHashType } from '../../platform/crypto/password-format.ts'

/** Formats of files: plain ones with our own fields, and exports of other systems. */
export const formats = ['csv', 'ndjson', 'auth0', 'clerk', 'cognito', 'keycloak', 'firebase'] as const
export type Format = (typeof formats)[number]

/** One person in a file, not validated. */
export interface Person {
  /** The fields in the form of `PUT /v1/users`. */
  fields: Record<string, unknown>
  /** The organization in the record, by slug, id or external id. */
  organization?: string
  /** The name of that organization, if it must be created. */
  organizationName?: string
  /** Whether the source system blocks the person from signing in. */
  inactive?: boolean
  /** Why the password cannot be imported. */
  hashProblem?: string
  /** Why the record cannot be read. */
  unreadable?: string
  /** Why the record is not imported, for example a service account. */
  leftOut?: { code: string; reason: string }
}

/** Converts a record of an export (a JSON object, or a CSV row keyed by column) to a person. */
export type Adapter = (record: Record<string, unknown>) => Person

/** A password hash in its exported form. */
export type SourceHash = { type: ImportedHashType; text: string } | { problem: string } | null

/** Why a person without an email address is left out. */
export const phoneOnly = { code: 'phone_only', reason: 'A person with a phone number and no email address.' }

/** A person with the non-empty fields and the password. */
export function personOf(
  fields: Record<string, unknown>,
  hash: SourceHash,
  more: Pick<Person, 'inactive'> = {},
): Person {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )
  if (hash === null) return { fields: given, ...more }
  if ('problem' in hash) return { fields: given, hashProblem: hash.problem, ...more }
  return { fields: { ...given, passwordHash: hash.text, passwordHashType: hash.type }, ...more }
}

/** The first non-blank string, trimmed. */
export function textOf(...values: unknown[]): string | undefined {
  for (const value of values) if (typeof value === 'string' && value.trim() !== '') return value.trim()
  return undefined
}

/** Reads a boolean, which CSV lacks. Other values are returned unchanged, to be reported as invalid. */
export function flagOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined
  const text = value.trim().toLowerCase()
  if (text === '') return undefined
  if (['true', 't', 'yes', 'y', '1'].includes(text)) return true
  return ['false', 'f', 'no', 'n', '0'].includes(text) ? false : value
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Metadata with the non-empty parts. */
export function metadataOf(parts: Record<string, unknown>): Record<string, unknown> | undefined {
  const given = Object.entries(parts).filter(([, value]) => {
    if (isObject(value)) return Object.keys(value).length > 0
    return value !== undefined && value !== null && value !== ''
  })
  return given.length ? Object.fromEntries(given) : undefined
}
