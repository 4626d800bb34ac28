import { expect, test } from 'vitest'
import { startApp } from '../../../test/harness.ts'
import { routes } from '../../wiring/routes.ts'
import { routedPaths } from './other-method.ts'

const app = await startApp()

/** Which route answers, and with what response. */
async function look(method: string, path: string) {
  const from = app.logLines.length
  const reply = await fetch(app.baseUrl + path, { method, headers: { accept: '*/*' }, redirect: 'manual' })
  await reply.arrayBuffer()
  const lines = app.logLines.slice(from).map((line) => JSON.parse(line))
  const { route, code } = lines.find(({ msg }) => msg === 'request') ?? {}
  return { route, code, status: reply.status, allow: reply.headers.get('allow') }
}

const fill = (path: string) => path.replaceAll(/\{\w+\}/g, '0198b6f2-4503-7b31-88cc-4c599ba00e1e')
const cases = routes.flatMap((route) =>
  routedPaths(route)
    .flatMap((path) => (path.startsWith('/v1/') ? [path, `/api${path}`] : [path]))
    .map((path) => ({ method: route.method, path })),
)

test('a trailing slash is the same route', async () => {
  for (const { method, path } of cases) {
    const plain = await look(method, fill(path))
    expect([method, path, typeof plain.route]).toEqual([method, path, 'string'])
    expect([method, path, await look(method, `${fill(path)}/`)]).toEqual([method, path, plain])
  }
  // A path that exists for other methods only.
  const other = await look('PATCH', '/v1/users/')
  expect([other.status, other.route, other.allow]).toEqual([405, '/v1/users', 'GET, HEAD, POST, PUT'])
})

test('an empty parameter matches nothing', async () => {
  let asked = 0
  for (const { method, path } of cases)
    for (const [parameter] of path.matchAll(/\{\w+\}/g)) {
      const emptied = fill(path.replace(parameter, ''))
      const answer = await look(method, emptied)
      asked++
      // An empty last part is the trailing slash of a shorter path.
      if (emptied.endsWith('/')) expect([emptied, answer]).toEqual([emptied, await look(method, emptied.slice(0, -1))])
      else expect([method, emptied, answer.status, answer.code]).toEqual([method, emptied, 404, 'not_found'])
      const doubled = await look(method, `${fill(path.slice(0, path.indexOf(parameter)))}/`)
      expect([method, path, doubled.status]).toEqual([method, path, 404])
    }
  expect(asked).toBeGreaterThan(100)
})

test('the lists answer with a slash behind, and nobody of an empty name is looked for', async () => {
  const tenant = await app.tenant()
  const subOrgId = await tenant.organization()
  const plain = await tenant.get(`/v1/users?subOrgId=${subOrgId}`)
  const slashed = await tenant.get(`/v1/users/?subOrgId=${subOrgId}`)
  expect([slashed.status, slashed.body]).toEqual([200, plain.body])
  for (const path of ['/v1/users//', '/v1/users//sessions', '/v1/organizations//members', '/api/v1/users//']) {
    const { status, body } = await tenant.get(path)
    expect([path, status, body.code]).toEqual([path, 404, 'not_found'])
  }
})
