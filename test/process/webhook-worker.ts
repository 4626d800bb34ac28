import { webhookDispatch } from '../../src/features/records/deliveries/dispatcher.ts'
import { parseConfig } from '../../src/platform/config/config.ts'
import { parseMasterKey } from '../../src/platform/crypto/master-key.ts'
import { startDispatcher } from '../../src/platform/jobs/dispatcher.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { buildApp } from '../../src/wiring/app.ts'

/** A process that does nothing but send events, until it is killed: the database, and the key of its secrets. */
const [databaseUrl = '', masterKey = ''] = process.argv.slice(2)
const { platform } = await buildApp({
  config: parseConfig({ WATCHWORD_BASE_URL: 'http://localhost:4000', WATCHWORD_OUTBOUND_ALLOW: '127.0.0.1' }),
  databaseUrl,
  masterKeys: [parseMasterKey(masterKey, 'test')],
  log: createLog({ logLevel: 'error' }),
})
startDispatcher(platform, webhookDispatch)
