import { Type } from 'typebox'
import { open } from '../../../platform/http/object-schemas.ts'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { endpointUrl } from './addresses.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts'
import { scimError, scimErrors } from './errors.ts'
import { toList } from './lists/lists.ts'
import { scimRoute } from './protocol.ts'
import { getProvisioning, provisioningErrors } from './provisioning.ts'

const about = {
  method: 'GET',
  media: 'scim',
  tolerant: true,
  tag: 'SCIM',
  query: Type.Object({ filter: Type.Optional(Type.String({ description: 'Not supported: returns 403.' })) }),
  reply: scimRoute.Resource,
} as const

/** RFC 7644 §4. */
function refuseFilter({ filter }: { filter?: string }): void {
  if (filter !== undefined) throw scimErrors.filterNotAllowed()
}

/** The entry of a list with this id, which clients write in any case. */
function pick<T extends { id: string }>(list: T[], id: string): T {
  const found = list.find((one) => one.id.toLowerCase() === id.toLowerCase())
  if (!found) throw scimErrors.resourceNotFound()
  return found
}

const facts: Route[] = [
  defineRoute({
    ...about,
    auth: 'public',
    path: '/api/os/scim/v2/ServiceProviderConfig',
    operation: 'scim.getServiceProviderConfig',
    summary: 'Read the service provider configuration',
    errors: [scimErrors.filterNotAllowed],
    async handle({ platform }, { query }) {
      refuseFilter(query)
      return serviceProviderConfig(endpointUrl(platform))
    },
  }),
  defineRoute({
    ...about,
    auth: 'public',
    path: '/api/os/scim/v2/ResourceTypes',
    operation: 'scim.listResourceTypes',
    summary: 'List the types of SCIM resources',
    errors: [scimErrors.filterNotAllowed],
    async handle({ platform }, { query }) {
      refuseFilter(query)
      return toList(resourceTypes(endpointUrl(platform)))
    },
  }),
  defineRoute({
    ...about,
    auth: 'public',
    path: '/api/os/scim/v2/ResourceTypes/{id}',
    operation: 'scim.getResourceType',
    summary: 'Read a type of SCIM resources',
    params: Type.Object({ id: Type.String({ description: 'The id of one of the list.' }) }),
    errors: [scimErrors.filterNotAllowed, scimErrors.resourceNotFound],
    async handle({ platform }, { params, query }) {
      refuseFilter(query)
      return pick(resourceTypes(endpointUrl(platform)), params.id)
    },
  }),
  defineRoute({
    ...about,
    auth: 'public',
    path: '/api/os/scim/v2/Schemas',
    operation: 'scim.listSchemas',
    summary: 'List the SCIM schemas',
    errors: [scimErrors.filterNotAllowed],
    async handle({ platform }, { query }) {
      refuseFilter(query)
      return toList(schemas(endpointUrl(platform)))
    },
  }),
  defineRoute({
    ...about,
    auth: 'public',
    path: '/api/os/scim/v2/Schemas/{id}',
    operation: 'scim.getSchema',
    summary: 'Read a SCIM schema',
    params: Type.Object({ id: Type.String({ description: 'The id of one of the list.' }) }),
    errors: [scimErrors.filterNotAllowed, scimErrors.resourceNotFound],
    async handle({ platform }, { params, query }) {
      refuseFilter(query)
      return pick(schemas(endpointUrl(platform)), params.id)
    },
  }),
]

/** RFC 7644 §3.11: the owner of a token is not a user, so there is nothing to describe. */
const me: Route[] = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({
  ...defineRoute({
    auth: 'scim',
    media: 'scim',
    tolerant: true,
    tag: 'SCIM',
    method,
    path: '/api/os/scim/v2/Me',
    operation: `scim.${method.toLowerCase()}Me`,
    summary: 'Not supported',
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: open(Type.Object({})) }),
    errors: [...provisioningErrors, scimErrors.notSupported],
    async handle(work) {
      await getProvisioning(work)
      throw scimError(scimErrors.notSupported)
    },
  }),
  hidden: true,
}))

/** Whether the route is a single entry, which is described together with its list. */
const isOfList = ({ path }: Route) => path.endsWith('/{id}')

export const discoveryRoutes: Route[] = [...facts.map((route) => ({ ...route, hidden: isOfList(route) })), ...me]
