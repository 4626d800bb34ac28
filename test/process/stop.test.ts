import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { caller, until } from '../harness.ts'
import { productionSettings, type Service, startService } from './service.ts'

/** A request whose body has not been sent yet, on a keep-alive connection. */
async function beginRequest(service: Service, key: string) {
  const body = JSON.stringify({ name: 'Slow', slug: 'slow' })
  const { hostname, port } = new URL(service.baseUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  const closed = once(socket, 'close')
  const head = [
    'POST /v1/organizations HTTP/1.1',
    'Host: localhost',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
  ]
  // The server answers 100 once it has read the headers: only then has the request begun.
  socket.write(`${[...head, 'Expect: 100-continue', `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n`)
  await until(async () => received.includes('100 Continue'))
  return {
    async finish(): Promise<string> {
      socket.write(body)
      await closed
      return received
    },
  }
}

test('a stop answers the request under way, takes no other, and ends with 0', async () => {
  const settings = await productionSettings()
  const key = settings.WATCHWORD_BOOTSTRAP_API_KEY
  const service = await startService(settings)
  await service.ready()
  const request = await beginRequest(service, key)
  service.child.kill('SIGTERM')
  const during = await until(async () => {
    const readiness = await service.readiness()
    return readiness?.status === 503 && readiness
  })
  expect(during.body).toEqual({ status: 'unavailable', checks: {} })
  await until(async () => (await fetch(`${service.baseUrl}/healthz`).catch(() => null)) === null)
  const answer = await request.finish()
  expect(answer).toContain('HTTP/1.1 200 OK')
  expect(answer).toContain('"slug":"slow"')
  expect(await service.ended).toBe(0)
  expect(service.stderr()).toBe('')

  const again = await startService(settings)
  await again.ready()
  const { body } = await caller(again.baseUrl, key).get('/v1/organizations?slug=slow')
  expect(body.subOrganizations).toHaveLength(1)
})

test('a second signal ends it at once', async () => {
  const settings = await productionSettings()
  const service = await startService(settings)
  await service.ready()
  await beginRequest(service, settings.WATCHWORD_BOOTSTRAP_API_KEY)
  service.child.kill('SIGINT')
  await until(async () => (await service.readiness())?.status === 503)
  // The echo of the same Ctrl-C by npm is not taken for a second one, so it takes several until one counts.
  await until(async () => service.child.exitCode !== null || !service.child.kill('SIGINT'))
  expect(await service.ended).toBe(130)
})

test('a stop during the start leaves nothing behind', async () => {
  const settings = await productionSettings()
  const service = await startService(settings)
  await until(async () => service.child.pid !== undefined)
  service.child.kill('SIGTERM')
  expect([0, 'SIGTERM']).toContain(await service.ended)
})
