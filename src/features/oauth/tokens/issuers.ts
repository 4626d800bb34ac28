import { issuerOf } from '../../../platform/crypto/signing-keys.ts'
import { isId } from '../../../platform/ids.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { findEnvironment, findHomeEnvironment } from './store.ts'

/** An environment that issues tokens, with its account. */
export interface Issuing {
  environmentId: string
  accountId: string
}

// An issuer never changes, so a cached one is never wrong. A missing issuer is looked up again.
const environments = perPlatform((platform) =>
  platform.caches.define<Issuing | null>('issuers', async (key) => {
    const [accountId = '', name = ''] = key.split('/')
    const found = await (accountId ? findEnvironment(platform.db, accountId, name) : findHomeEnvironment(platform.db))
    return found ?? null
  }),
)

/** The environment whose issuer is the bare base URL: production of the home account. Null before the first account. */
export async function homeEnvironment(platform: Platform): Promise<Issuing | null> {
  return environments(platform).get('/')
}

/** The environment whose issuer is `/accounts/{accountId}/{name}`, or null. */
export async function environmentOfIssuer(
  platform: Platform,
  accountId: string,
  name: string,
): Promise<Issuing | null> {
  return isId(accountId) ? environments(platform).get(`${accountId}/${name}`) : null
}

/** The metadata of an environment's issuer (RFC 8414). */
export async function issuerMetadata(platform: Platform, environmentId: string) {
  const issuer = await issuerOf(platform, environmentId)
  // Base URL: the metadata of an issuer names its endpoints.
  const api = `${platform.config.baseUrl}/api/v1/auth/token`
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    introspection_endpoint: `${api}/introspect`,
    revocation_endpoint: `${api}/revoke`,
    // There is no authorization endpoint: the customer's backend signs users in with its API key.
    response_types_supported: [],
  }
}
