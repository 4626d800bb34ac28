import { hash } from 'node:crypto'

/** A person of the development identity provider. */
export interface DevPerson {
  /** Never changes: `sub` of ID tokens, the persistent NameID, and `externalId` of SCIM. */
  subject: string
  email: string
  firstName: string
  lastName: string
  groups: string[]
}

export const DEV_GROUPS = ['Admins', 'Engineering', 'Sales']

const PEOPLE: [string, string, string, string[]][] = [
  ['ada', 'Ada', 'Lovelace', ['Admins', 'Engineering']],
  ['grace', 'Grace', 'Hopper', ['Engineering']],
  ['alan', 'Alan', 'Turing', ['Sales']],
  ['mary', 'Mary', 'Jackson', []],
]

/** The people that a domain's provider offers for sign-in. */
export function peopleOf(domain: string): DevPerson[] {
  return PEOPLE.map(([name, firstName, lastName, groups]) =>
    toPerson(`${name}@${domain}`, { firstName, lastName, groups }),
  )
}

/** The person with a short name or an address. Any address may sign in. Null if the text is neither. */
export function findDevPerson(domain: string, text: string): DevPerson | null {
  const email = (text.includes('@') ? text : `${text}@${domain}`).trim().toLowerCase()
  if (!/^[^\s@<>"]{1,64}@[a-z0-9.-]{1,253}$/.test(email)) return null
  const known = peopleOf(domain).find((person) => person.email === email)
  const [name = ''] = email.split('@')
  const firstName = name.charAt(0).toUpperCase() + name.slice(1)
  return known ?? toPerson(email, { firstName, lastName: 'Example', groups: [] })
}

function toPerson(email: string, rest: Pick<DevPerson, 'firstName' | 'lastName' | 'groups'>): DevPerson {
  return { subject: hash('sha256', email, 'hex').slice(0, 32), email, ...rest }
}
