import { isId } from '../../../platform/ids.ts'
import { parseEmail } from '../../../platform/mail/address.ts'

/** The part of an event that names people and records: its columns as texts. */
export interface EventText {
  id: string
  type: string | null
  target_id: string | null
  actor_id: string | null
  via: string | null
  on_behalf_of: string | null
  data: string | null
  previous: string | null
}

/** What an event names. */
export interface Named {
  ids: string[]
  /** Ids of organizations that it is about. */
  organizations: string[]
  emailNorms: string[]
  phones: string[]
}

const PERSON_FIELDS = ['id', 'user_id', 'userId', 'directory_user_id', 'directoryUserId', 'membershipId']
const ORGANIZATION_FIELDS = ['subOrgId', 'sub_org_id']

/**
 * Reads ids from the fields that name what an event is about. A field such as `parentId` of another organization does
 * not count. Addresses and phones count wherever they occur.
 */
export function readNamed(event: EventText): Named {
  const data = parse(event.data)
  const texts = [event.data, event.previous, event.on_behalf_of].join(' ')
  const fields = (names: string[]) => names.map((name) => data[name])
  return {
    ids: idsOf([event.target_id, event.actor_id, parse(event.via)['id'], ...fields(PERSON_FIELDS)]),
    organizations: idsOf([event.target_id, ...fields(ORGANIZATION_FIELDS)]),
    emailNorms: [...texts.matchAll(ADDRESS)].flatMap(([text]) => parseEmail(text)?.norm ?? []),
    phones: [...texts.matchAll(PHONE)].map(([text]) => text),
  }
}

const ADDRESS = /[^\s"<>,;:()\\]+@[^\s"<>,;:()\\]+/g
const PHONE = /\+[1-9]\d{5,14}/g

function parse(text: string | null): Record<string, unknown> {
  return Object(text === null ? {} : JSON.parse(text))
}

function idsOf(values: unknown[]): string[] {
  return values.flatMap((value) => (typeof value === 'string' && isId(value) ? value : []))
}
