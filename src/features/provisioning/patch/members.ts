import { groupType, MEMBERS } from '../language/core-schemas.ts'
import { quoted, ScimLanguageError } from '../language/error.ts'
import type { ScimFilter } from '../language/filter.ts'
import { isObject, isUnassigned, own, type ScimObject, type ScimValue } from '../language/json.ts'
import { normaliseValue } from '../language/normalise.ts'
import { attributeKey, type ScimAttribute } from '../language/schema.ts'
import type { PatchOperation } from './patch-operations.ts'
import { parsePath, type ScimPath } from './path.ts'

/** A member as the client named it. Ids are compared regardless of case. */
export interface ScimMember {
  value: string
  /** `User`, `Group`, or null if the client did not say. */
  type: string | null
}

/**
 * A change of a group's members: first all or some are removed, then others are added. Keys and removed ids are in
 * lower case.
 */
export interface MemberChanges {
  /** Whether all earlier members are removed. */
  replaced: boolean
  removed: Set<string>
  added: Map<string, ScimMember>
}

/**
 * Separates the operations on `members` from a PATCH of a group, so that a large group need not be read. They affect
 * nothing else, so the other operations keep their meaning. Removing a user who is not a member is not an error.
 * Returns null if no operation is about members. Throws ScimLanguageError.
 */
export function splitMemberOperations(operations: PatchOperation[]): {
  members: MemberChanges | null
  rest: PatchOperation[]
} {
  const changes: MemberChanges = { replaced: false, removed: new Set(), added: new Map() }
  let touched = false
  const rest = operations.flatMap((operation) => {
    const path = operation.path === null ? null : parsePath(operation.path)
    if (path) {
      if (!isMembers(path)) return [operation]
      touched = true
      applyMembers(changes, operation, path)
      return []
    }
    const { members, others } = splitValue(operation)
    if (members.length === 0) return [operation]
    touched = true
    for (const value of members) applyMembers(changes, { ...operation, value }, parsePath(MEMBERS))
    return isObject(others) && Object.keys(others).length > 0 ? [{ ...operation, value: others }] : []
  })
  return { members: touched ? changes : null, rest }
}

/** Separates the members from a whole group that `normaliseResource` returned. */
export function takeMembers(group: ScimObject): { members: ScimMember[]; rest: ScimObject } {
  const { members, ...rest } = group
  return { members: readMembers(members ?? null), rest }
}

function splitValue({ op, value }: PatchOperation): { members: ScimValue[]; others: ScimValue | undefined } {
  if (op === 'remove' || !isObject(value)) return { members: [], others: value }
  const entries = Object.entries(value)
  const isOfMembers = ([key]: [string, ScimValue]) => MEMBERS_KEY.test(key)
  return {
    members: entries.filter(isOfMembers).map(([, part]) => part),
    others: Object.fromEntries(entries.filter((entry) => !isOfMembers(entry))),
  }
}

const MEMBERS_KEY = /^(?:urn:ietf:params:scim:schemas:core:2\.0:group:)?members$/i

function isMembers({ attribute }: ScimPath): boolean {
  return attributeKey({ ...attribute, sub: null }) === MEMBERS
}

function applyMembers(changes: MemberChanges, operation: PatchOperation, path: ScimPath): void {
  const { op, value } = operation
  if (path.attribute.sub !== null)
    throw new ScimLanguageError('mutability', 'A member cannot be changed; it can be removed and added.')
  const selected = path.filter ? readIds(path.filter) : null
  if (op === 'remove') {
    if (selected) removeMembers(changes, selected)
    else if (value === undefined || value === null) replaceMembers(changes, [])
    else
      removeMembers(
        changes,
        readMembers(value).map((member) => member.value),
      )
    return
  }
  if (value === undefined) throw new ScimLanguageError('invalidValue', 'The operation on "members" has no value.')
  const members = readMembers(value)
  if (selected && op === 'replace') removeMembers(changes, selected)
  if (selected || op === 'add') addMembers(changes, members)
  else replaceMembers(changes, members)
}

function addMembers(changes: MemberChanges, members: ScimMember[]): void {
  for (const member of members) changes.added.set(member.value.toLowerCase(), member)
}

function removeMembers(changes: MemberChanges, ids: string[]): void {
  for (const id of ids) {
    changes.added.delete(id.toLowerCase())
    if (!changes.replaced) changes.removed.add(id.toLowerCase())
  }
}

function replaceMembers(changes: MemberChanges, members: ScimMember[]): void {
  changes.replaced = true
  changes.removed.clear()
  changes.added.clear()
  addMembers(changes, members)
}

/** The ids in a filter of the form `value eq "…"`, or several joined by `or`. */
function readIds(filter: ScimFilter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(readIds)
  const isId = filter.kind === 'compare' && filter.operator === 'eq' && filter.attribute.name.toLowerCase() === 'value'
  if (isId && typeof filter.value === 'string') return [filter.value]
  throw new ScimLanguageError('invalidFilter', 'Members are selected by their ids: members[value eq "…"].')
}

function readMembers(value: ScimValue): ScimMember[] {
  const members = normaliseValue(membersAttribute(), value) ?? []
  return (Array.isArray(members) ? members : [members]).map((member) => {
    const id = isObject(member) ? own(member, 'value') : undefined
    const type = isObject(member) ? own(member, 'type') : undefined
    if (typeof id !== 'string' || id === '')
      throw new ScimLanguageError('invalidValue', 'A member has a "value", the id of a user.')
    return { value: id, type: typeof type === 'string' && !isUnassigned(type) ? type : null }
  })
}

function membersAttribute(): ScimAttribute {
  const attribute = groupType.attributes.get(MEMBERS)
  if (!attribute) throw new Error(`${quoted(MEMBERS)} is not of the schema of groups.`)
  return attribute
}
