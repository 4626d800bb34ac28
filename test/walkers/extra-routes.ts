import { afterAll } from 'vitest'
import type { Route } from '../../src/platform/http/route.ts'
import { buildServer, type ServerParts } from '../../src/platform/http/server.ts'
import { appParts } from '../../src/wiring/app.ts'
import { routes } from '../../src/wiring/routes.ts'
import type { TestApp } from '../harness.ts'

/** Serves routes of a test beside those of the service, on the same database; returns the address. */
export async function serve({ app }: TestApp, extra: Route[], parts: Partial<ServerParts> = {}): Promise<string> {
  const server = buildServer({ ...appParts(app.platform), ...parts, routes: [...routes, ...extra] })
  await server.listen({ host: '127.0.0.1', port: 0 })
  afterAll(() => server.close())
  const bound = server.server.address()
  return `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`
}
