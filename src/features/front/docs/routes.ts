import { Type } from 'typebox'
import manifest from '../../../../package.json' with { type: 'json' }
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { docsPages, keptContracts } from './docs.ts'

const shared = {
  method: 'GET',
  tag: 'Documentation',
  reply: Type.Unknown(),
  kept: true,
} as const

const exampleOf = (title: string) => ({
  reply: { openapi: '3.1.0', info: { title, version: manifest.version }, paths: {} },
})

/** `all` returns every route of the service, including these. It is called only after all routes are known. */
export function docsRoutes(all: () => Route[]): Route[] {
  return [
    ...docsPages(all),
    defineRoute({
      ...shared,
      auth: 'public',
      path: '/v1/openapi.json',
      operation: 'docs.getOpenapi',
      summary: 'Read this document',
      description: 'OpenAPI 3.1 of every route except SCIM, with the URL of this deployment.',
      examples: exampleOf('Watchword'),
      handle: async ({ platform }) => keptContracts.api(platform)(all),
    }),
    defineRoute({
      ...shared,
      auth: 'public',
      path: '/v1/scim/openapi.json',
      operation: 'docs.getScimOpenapi',
      summary: 'Read the SCIM document',
      description: 'OpenAPI 3.1 of the SCIM endpoint that directories call.',
      examples: exampleOf('Watchword SCIM'),
      handle: async ({ platform }) => keptContracts.scim(platform)(all),
    }),
  ]
}
