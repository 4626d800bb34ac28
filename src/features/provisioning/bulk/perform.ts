import type { Work } from '../../../platform/work.ts'
import { createGroup, deleteGroup, patchGroup, replaceGroup } from '../groups/groups.ts'
import { versionTag } from '../language/versions.ts'
import { deprovisionUser, patchUser, provisionUser, replaceUser, versionOf } from '../provisioning/provisioning.ts'
import { endpointUrl, type Provisioning, scimError, scimErrors } from '../scim/scim.ts'

/** A write by a provisioning client inside another request. */
export interface Operation {
  method: string
  /** The path below the base URL: `/Users`, `/Groups/{id}`. */
  path: string
  data: unknown
  /** The version for `If-Match`, or null for any version. */
  version: string | null
}

/** The result of an operation. */
export interface Performed {
  status: number
  id: string
  location: string
  version: string | null
}

const PATH = /^\/?(Users|Groups)(?:\/([^/?]+))?\/?$/

/** Performs an operation as its route would. Throws what the route's rules throw, and `scim_invalid_path`. */
export async function perform(work: Work, operation: Operation, provisioning: Provisioning): Promise<Performed> {
  const [, type, id] = PATH.exec(operation.path) ?? []
  const method = operation.method.toUpperCase()
  const isKnown = type !== undefined && (method === 'POST' ? id === undefined : id !== undefined)
  if (!isKnown || !['POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    throw scimError(
      scimErrors.invalidPath,
      'An operation is a POST to /Users or /Groups, or a PUT, PATCH or DELETE of one.',
    )
  const done = await (type === 'Users' ? performOnUser : performOnGroup)(work, method, id ?? '', {
    operation,
    provisioning,
  })
  const status = method === 'POST' ? 201 : method === 'DELETE' ? 204 : 200
  return { status, ...done, location: `${endpointUrl(work.platform)}/${type}/${done.id}` }
}

interface Asked {
  operation: Operation
  provisioning: Provisioning
}

async function performOnUser(work: Work, method: string, id: string, { operation, provisioning }: Asked) {
  const { data: body, version: ifMatch } = operation
  if (method === 'DELETE') {
    await deprovisionUser(work, id, { ifMatch, on_deprovision: provisioning.on_deprovision })
    return { id, version: null }
  }
  const change = method === 'PUT' ? replaceUser : patchUser
  const user = await (method === 'POST' ? provisionUser(work, body) : change(work, id, { ifMatch, body }))
  return { id: user.row.id, version: versionOf(user) }
}

async function performOnGroup(work: Work, method: string, id: string, { operation }: Asked) {
  const { data: body, version: ifMatch } = operation
  if (method === 'DELETE') {
    await deleteGroup(work, id, { ifMatch })
    return { id, version: null }
  }
  const change = method === 'PUT' ? replaceGroup : patchGroup
  const group = await (method === 'POST' ? createGroup(work, body) : change(work, id, { ifMatch, body }))
  return { id: group.id, version: versionTag(group) }
}
