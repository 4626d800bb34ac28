import { isObject, type Person, textOf } from './person.ts'

/** Fields of a record that may be added to the export of any system. */
const added = ['organization', 'organizationName', 'role', 'roles'] as const

/** Adds what a record says of the organization, and the roles in it. */
export function withMembership(person: Person, record: Record<string, unknown>): Person {
  const [organization, organizationName, role, roles] = added.map((name) => record[name])
  const roleIds = listOf(roles)
  const named = textOf(typeof organization === 'number' ? String(organization) : organization)
  const name = textOf(organizationName)
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
    ...(isObject(organization) || Array.isArray(organization)
      ? { unreadable: 'organization is a list or an object: it must be a slug or an id.' }
      : {}),
  }
}

export const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

/** A list, or a text with commas, semicolons, bars or spaces between its elements. An empty one is none. */
function listOf(value: unknown): unknown {
  const list = typeof value === 'string' ? value.split(/[|,;\s]+/).filter(Boolean) : value
  return Array.isArray(list) && list.length === 0 ? undefined : list
}
