import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { routes } from '../../wiring/routes.ts'
import { allowOf, methodsByPath } from './other-method.ts'

const { baseUrl, app } = await startApp()

test('each path names its methods where another one is sent, whatever its parameters are, and no other path does', async () => {
  const byPath = [...methodsByPath(routes)]
  const parts = (path: string) => path.split('/').map((part) => part.replace(/^\{\w+\}$/, '*'))
  const covers = (general: string, path: string) => {
    const [wanted, given] = [parts(general), parts(path)]
    return wanted.length === given.length && wanted.every((part, i) => part === '*' || part === given[i])
  }
  let asked = 0
  for (const [path, served] of byPath) {
    const taken = byPath.filter(([other]) => covers(other, path)).flatMap(([, { methods }]) => [...methods])
    const method = ['PUT', 'PATCH', 'DELETE', 'POST', 'GET'].find((name) => !taken.some((one) => one === name))
    if (!method) continue
    asked++
    for (const folder of path.startsWith('/v1/') ? ['', '/api'] : ['']) {
      const url = baseUrl + folder + path.replaceAll(/\{\w+\}/g, 'a%2Fb.c')
      const reply = await fetch(`${url}?a=/b`, { method, headers: { accept: 'application/json' } })
      expect([url, reply.status, reply.headers.get('allow')]).toEqual([url, 405, allowOf(served)])
    }
  }
  expect(asked).toBeGreaterThan(byPath.length / 2)
})

test('a parameter that is too long for any id is not found, by any method', async () => {
  const of = (method: string) => fetch(`${baseUrl}/v1/users/${'a'.repeat(300)}`, { method })
  expect([(await of('GET')).status, (await of('PUT')).status]).toEqual([404, 404])
})

test('a path is known however it is spelled, and none that only begins like it', async () => {
  const of = async (path: string) => (await fetch(baseUrl + path, { method: 'DELETE' })).status
  expect(await Promise.all(['/v1/%75sers', '/v1/users', '/v1/users;a', '/v1/%75ser', '/v1/users/%C3'].map(of))).toEqual(
    [405, 405, 404, 404, 404],
  )
  expect(
    await Promise.all(['/api/v1/users', '/%61pi/%761/%75sers', '/API/v1/users', '/api/api/v1/users'].map(of)),
  ).toEqual([405, 405, 404, 404])
})

test('a path is known behind an authority too', async () => {
  expect(
    await Promise.all(['/v1/users', '/api/v1/users', '/api/v2/users'].map((path) => statusOf(baseUrl + path))),
  ).toEqual([401, 401, 404])
  expect(await statusOf(`${baseUrl}/api/v1/users`, 'DELETE')).toBe(405)
  // URL schemes are not case-sensitive, and these requests mean this server.
  const spelled = [
    'HTTP://h/v1/users',
    'Https://h:1/api/v1/users',
    'ftp://h/v1/users',
    'http://h/healthz',
    'http://h?x=/',
  ]
  expect(await Promise.all(spelled.map((target) => statusOf(target)))).toEqual([401, 401, 401, 200, 302])
  expect(await Promise.all(spelled.map((target) => statusOf(target, 'DELETE')))).toEqual([405, 405, 405, 405, 404])
})

test('a path ends at a fragment, and one that cannot be decoded, or an authority, is none', async () => {
  const targets = [
    '/v1/users#x',
    '/v1/users#%C3',
    '/api/v1/users#%C3',
    '/v1/nope#%C3',
    '/v1/%C3',
    'http://%C3@h/v1/nope',
  ]
  expect(await Promise.all(targets.map((target) => statusOf(target, 'DELETE')))).toEqual([405, 405, 405, 404, 404, 404])
})

/** Sends a request target unchanged, and returns the status. */
async function statusOf(path: string, method = 'GET'): Promise<number | undefined> {
  const sent = request(baseUrl, { path, method }).end()
  const [reply]: IncomingMessage[] = await once(sent, 'response')
  reply?.resume()
  return reply?.statusCode
}

test('a path takes no more of the router than its own methods', () => {
  expect(app.server.printRoutes({ commonPrefix: false })).toContain(' v1/users (GET, HEAD, POST, PUT)')
})
