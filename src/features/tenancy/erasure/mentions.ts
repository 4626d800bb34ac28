import { isId } from '../../../platform/ids.ts'
import { parseEmail } from '../../../platform/mail/address.ts'

/** The columns of an event that may name people and records, as text. */
export interface EventText {
  id: string
  /** Microseconds since 1970. */
  created_at: string | null
  type: string | null
  target_id: string | null
  actor_id: string | null
  via: string | null
  on_behalf_of: string | null
  data: string | null
}

/** The people, records and contacts that an event is about. */
export interface Subjects {
  ids: string[]
  organizations: string[]
  /** Normalized addresses, and phone numbers, that a message was sent to. */
  contacts: string[]
}

const PERSON_FIELDS = ['id', 'user_id', 'userId', 'directory_user_id', 'directoryUserId', 'membershipId']
const ORGANIZATION_FIELDS = ['subOrgId', 'sub_org_id']

/**
 * Types of events about an address or a phone number. In other events, an address may be free text, such as a name or
 * metadata; it does not mean that the event is about the person with that address.
 */
const ABOUT_CONTACTS = /^(auth\.otp|mail)\./

/** Reads only the fields that name what an event is about. */
export function readSubjects(event: EventText): Subjects {
  const data = parse(event.data)
  const fields = (names: string[]) => names.map((name) => data[name])
  return {
    ids: idsOf([
      ...[event.target_id, event.actor_id, parse(event.via)['id'], parse(event.on_behalf_of)['id']],
      ...fields(PERSON_FIELDS),
    ]),
    organizations: idsOf([event.target_id, ...fields(ORGANIZATION_FIELDS)]),
    contacts: ABOUT_CONTACTS.test(event.type ?? '') ? contactsOf(data) : [],
  }
}

function contactsOf({ email, phone }: Record<string, unknown>): string[] {
  const norm = typeof email === 'string' ? parseEmail(email)?.norm : undefined
  return [norm, phone].filter((one) => typeof one === 'string')
}

function parse(text: string | null): Record<string, unknown> {
  return Object(text === null ? {} : JSON.parse(text))
}

function idsOf(values: unknown[]): string[] {
  return values.flatMap((value) => (typeof value === 'string' && isId(value) ? value : []))
}
