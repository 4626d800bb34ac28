import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { describeService } from './docs.ts'

/** `all`: every route of the service, these included; asked for once they are complete. */
export function docsRoutes(all: () => Route[]): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/openapi.json',
      auth: 'public',
      tag: 'Documentation',
      summary: 'Read this document',
      description: 'OpenAPI 3.1 of every route, with the address of this deployment.',
      reply: Type.Unknown(),
      handle: async ({ platform }) => describeService(platform, all()),
    }),
  ]
}
