import { isObject, type Person, textOf } from './person.ts'

/** Fields that may be added to the records of any export. */
const added = ['organization', 'organizationName', 'role', 'roles'] as const

/** Adds the record's organization and the person's roles in it. */
export function withMembership(person: Person, record: Record<string, unknown>): Person {
  const [organization, organizationName, role, roles] = added.map((name) => record[name])
  const roleIds = listOf(roles)
  const named = textOf(typeof organization === 'number' ? String(organization) : organization)
  const name = textOf(organizationName)
  const problem = problemOf(organization) ?? (Array.isArray(roleIds) && roleIds.some(isUnfit) ? UNFIT_ROLE : null)
  const firstRole = typeof role === 'string' ? role.trim().toLowerCase() : role
  return {
    ...person,
    fields: {
      ...person.fields,
      ...(isAbsent(firstRole) ? {} : { role: firstRole }),
      ...(isAbsent(roleIds) ? {} : { roleIds }),
    },
    ...(named === undefined ? {} : { organization: named }),
    ...(name === undefined ? {} : { organizationName: name }),
    ...(problem === null ? {} : { unreadable: problem }),
  }
}

const MAX_TEXT = 1000
const UNFIT_ROLE = 'roles has an element that is no slug and no id.'

// PostgreSQL refuses the character 0, and with it the whole batch.
const isUnfit = (value: unknown) => typeof value === 'string' && (value.length > MAX_TEXT || /\p{Cc}/u.test(value))

function problemOf(organization: unknown): string | null {
  if (isObject(organization) || Array.isArray(organization))
    return 'organization is a list or an object: it must be a slug or an id.'
  return isUnfit(organization) ? 'organization has control characters, or is longer than 1000 characters.' : null
}

export const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

/**
 * Splits a text at commas, semicolons, bars and spaces. Returns any other value unchanged, but undefined for an empty
 * list.
 */
function listOf(value: unknown): unknown {
  const list = typeof value === 'string' ? value.split(/[|,;\s]+/).filter(Boolean) : value
  return Array.isArray(list) && list.length === 0 ? undefined : list
}
