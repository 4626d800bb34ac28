import type { ImportedHashType } from '../../features/credentials/credentials.ts'

/** Formats that a file can be of: plain ones of our own fields, and exports of other systems. */
export const formats = ['csv', 'ndjson', 'auth0', 'clerk', 'cognito', 'keycloak', 'firebase'] as const
export type Format = (typeof formats)[number]

/** One person of a file, before anything was checked. */
export interface Person {
  /** As `PUT /v1/users` takes them. */
  fields: Record<string, unknown>
  /** The source lets them not sign in. */
  inactive?: boolean
  /** Why their password cannot come over. */
  hashProblem?: string
  /** The record cannot be read: why. */
  unreadable?: string
  /** The record is nobody to import: why. */
  leftOut?: { code: string; reason: string }
}

/** Turns a record of an export (an object of JSON, or the columns of a CSV row by their names) into a person. */
export type Adapter = (record: Record<string, unknown>) => Person

/** A password as an export has it. */
export type SourceHash = { type: ImportedHashType; text: string } | { problem: string } | null

/** The fields that hold something, with the password among them. */
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

/** The first of these that is text with something in it. */
export function textOf(...values: unknown[]): string | undefined {
  for (const value of values) if (typeof value === 'string' && value.trim() !== '') return value.trim()
  return undefined
}

/** CSV knows no booleans. What is neither stays as it is, and is told as wrong. */
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

/** Metadata of those parts that hold something. */
export function metadataOf(parts: Record<string, unknown>): Record<string, unknown> | undefined {
  const given = Object.entries(parts).filter(([, value]) => {
    if (isObject(value)) return Object.keys(value).length > 0
    return value !== undefined && value !== null && value !== ''
  })
  return given.length ? Object.fromEntries(given) : undefined
}
