import { Type } from 'typebox'
import manifest from '../../../../package.json' with { type: 'json' }
import { defineRoute, type Route } from '../../../platform/http/route.ts'

const Ok = Type.Object({ status: Type.Literal('ok', { description: 'Always `ok`.' }) })

export const healthRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/healthz',
    operation: 'health.getLiveness',
    aliases: ['/livez'],
    auth: 'public',
    tolerant: true,
    probe: true,
    tag: 'Health',
    summary: 'Check that the process responds',
    description: 'Does not use the database, so a slow database never makes an orchestrator kill healthy processes.',
    reply: Ok,
    handle: async () => ({ status: 'ok' as const }),
  }),
  defineRoute({
    method: 'GET',
    path: '/version',
    operation: 'health.getVersion',
    auth: 'public',
    tolerant: true,
    cors: 'any',
    tag: 'Health',
    summary: 'Read the version of the service',
    reply: Type.Object({
      version: Type.String({
        description: 'Version of the service that answers (semantic versioning).',
        examples: [manifest.version],
      }),
    }),
    handle: async () => ({ version: manifest.version }),
  }),
]
