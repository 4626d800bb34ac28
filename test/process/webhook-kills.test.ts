import { expect, test } from 'vitest'
import { startApp } from '../harness.ts'
import { killWhileSending, WEBHOOKS } from './webhook-kills.ts'

// `WEBHOOK_EVENTS=100000` tries more.
const EVENTS = Number(process.env['WEBHOOK_EVENTS'] ?? 4000)
const KILLS = Math.max(2, Math.floor(EVENTS / 5000))
const MANY = 100_000

test('processes that are killed while they send lose nothing, and repeat little', { timeout: 3_600_000 }, async () => {
  const service = await startApp({ env: { WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' } })
  const { events, kills, missing, duplicates, renamed } = await killWhileSending(service, EVENTS, EVENTS / (KILLS + 1))
  expect([events, kills, missing, renamed]).toEqual([EVENTS, KILLS, 0, 0])
  // Four at a time of each webhook that the dead process held.
  expect(duplicates).toBeLessThanOrEqual(kills * WEBHOOKS * 4)
  if (EVENTS >= MANY) expect(duplicates / EVENTS).toBeLessThan(0.005)
  process.stdout.write(`${events} events, ${kills} kills: ${missing} missing, ${duplicates} twice\n`)
})
