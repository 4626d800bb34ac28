import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'

const Ok = Type.Object({ status: Type.String({ examples: ['ok'] }) })

export const healthRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/healthz',
    aliases: ['/livez'],
    auth: 'public',
    tag: 'Health',
    summary: 'Tell that the process answers',
    description: 'Does no database work, so that a slow database never makes an orchestrator kill healthy processes.',
    reply: Ok,
    handle: async () => ({ status: 'ok' }),
  }),
]
