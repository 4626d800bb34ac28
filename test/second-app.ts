import { afterAll } from 'vitest'
import type { Clock } from '../src/platform/clock.ts'
import { parseConfig } from '../src/platform/config/config.ts'
import { createLog, type Log } from '../src/platform/observability/log.ts'
import { type App, buildApp } from '../src/wiring/app.ts'
import { type Caller, caller, closeApp, PATIENT_BOUNDS, type TestApp } from './harness.ts'

/** Another process of the same deployment, as far as state goes: own caches and connections, the same database. */
export async function startSecondApp(
  first: TestApp,
  options: {
    /** The clock of its machine, which it corrects by that of the database. Without one it has the clock of the first. */
    machineClock?: Clock
    log?: Log
  } = {},
): Promise<{ app: App; baseUrl: string; as(key: string | null): Caller }> {
  const { dnsServer, outboundAllow, trustProxy } = first.app.platform.config
  const config = parseConfig({
    NODE_ENV: 'test',
    WATCHWORD_BASE_URL: 'http://localhost:4000',
    WATCHWORD_NETWORK_REQUESTS_PER_SECOND: '0',
    WATCHWORD_OUTBOUND_ALLOW: outboundAllow.join(),
    WATCHWORD_TRUST_PROXY: trustProxy.join(),
    ...(dnsServer === null ? {} : { WATCHWORD_DNS_SERVER: dnsServer }),
  })
  const app = await buildApp({
    config,
    databaseUrl: first.databaseUrl,
    masterKeys: [first.masterKey],
    ...(options.machineClock ? { machineClock: options.machineClock } : { clock: first.app.platform.clock }),
    log: options.log ?? createLog({ logLevel: 'error' }, { write: () => undefined }),
    strict: true,
    bounds: PATIENT_BOUNDS,
    ...(first.app.platform.hashCost ? { hashCost: first.app.platform.hashCost } : {}),
  })
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  afterAll(() => closeApp(app))
  const address = app.server.server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return { app, baseUrl, as: (key) => caller(baseUrl, key) }
}
