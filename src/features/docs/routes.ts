import { Type } from 'typebox'
import manifest from '../../../package.json' with { type: 'json' }
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { docsPages, keptContract } from './docs.ts'

/** `all` returns every route of the service, including these; called once they are complete. */
export function docsRoutes(all: () => Route[]): Route[] {
  return [
    ...docsPages(all),
    defineRoute({
      method: 'GET',
      path: '/v1/openapi.json',
      operation: 'docs.openapi',
      auth: 'public',
      tag: 'Documentation',
      summary: 'Read this document',
      description: 'OpenAPI 3.1 of every route, with the URL of this deployment.',
      reply: Type.Unknown(),
      kept: true,
      examples: { reply: { openapi: '3.1.0', info: { title: 'Watchword', version: manifest.version }, paths: {} } },
      handle: async ({ platform }) => keptContract(platform)(all),
    }),
  ]
}
