import { expect, test } from 'vitest'
import { until } from '../harness.ts'
import { productionSettings, startService } from './service.ts'

const preload = new URL('request-objects.ts', import.meta.url).href

test('requests have room for their members, though garbage is collected between the first of them', async () => {
  const service = await startService({ ...(await productionSettings()), NODE_OPTIONS: `--import ${preload}` })
  await service.ready()
  for (let n = 0; n < 12; n++) {
    const reply = await fetch(`${service.baseUrl}/healthz`, { headers: { connection: 'close' } })
    expect(await reply.json()).toEqual({ status: 'ok' })
  }
  service.child.kill('SIGUSR2')
  const [, bytes] = await until(async () => /^(\d+) bytes$/m.exec(service.stderr()))
  expect(Number(bytes)).toBeGreaterThan(500)
  expect(Number(bytes)).toBeLessThan(3000)
})
