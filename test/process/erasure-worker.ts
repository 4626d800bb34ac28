import { eraseOrganizations } from '../../src/features/tenancy/erasure/erase.ts'
import { parseConfig } from '../../src/platform/config/config.ts'
import { parseMasterKey } from '../../src/platform/crypto/master-key.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { buildApp } from '../../src/wiring/app.ts'

/** A process that does nothing but erase organizations, until it is killed: the database, and the key of its secrets. */
const [databaseUrl = '', masterKey = ''] = process.argv.slice(2)
const { platform } = await buildApp({
  config: parseConfig({ WATCHWORD_BASE_URL: 'http://localhost:4000' }),
  databaseUrl,
  masterKeys: [parseMasterKey(masterKey, 'test')],
  log: createLog({ logLevel: 'error' }),
})
for (;;) await eraseOrganizations.handle(platform, {}, 1)
