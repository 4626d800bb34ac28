import { toCertificate } from '../../../platform/crypto/shown-certificates.ts'
import { publicUrl } from '../../../platform/http/public-url.ts'
import type { Platform } from '../../../platform/platform.ts'
import { oidcPostLogoutRedirectUri, oidcRedirectUri } from './addresses.ts'
import { readConfig } from './config.ts'
import { callbackOf } from './known/known.ts'
import { provisioningSwitch } from './provisioning.ts'
import type { Connection } from './schema.ts'
import { type SpKey, spKeys } from './sp-keys/sp-keys.ts'
import type { ConnectionRow, ListedConnectionRow } from './store.ts'

/** The addresses and identifiers that a provider needs for a connection to this service. */
export function spOf(platform: Pick<Platform, 'config'>, id: string) {
  return {
    entity_id: publicUrl(platform, `/v1/auth/login/sso/saml/metadata/${id}`),
    acs_url: publicUrl(platform, `/v1/auth/login/sso/saml/acs/${id}`),
    slo_url: publicUrl(platform, `/v1/auth/login/sso/saml/slo/${id}`),
    metadata_url: publicUrl(platform, `/v1/auth/login/sso/saml/metadata/${id}`),
  }
}

/** A connection as the API shows it. */
export async function showConnection(
  platform: Platform,
  row: ListedConnectionRow | (ConnectionRow & { organization_id: string | null; account_id: string }),
): Promise<Connection> {
  const { idp_certificates, ...config } = readConfig(row.config)
  const jit = config.jit_provisioning ?? !(await provisioningSwitch(platform).get(row.directory_id))
  // Process clock: other parties compare the dates of a certificate with their own clocks.
  const now = platform.clock.now()
  const keys =
    row.protocol === 'saml'
      ? await spKeys(platform, { accountId: row.account_id, environmentId: row.environment_id })
      : null
  const shownKeys: SpKey[] = keys ? [...keys.signing, ...keys.encryption] : []
  return {
    id: row.id,
    sub_org_id: row.organization_id,
    name: row.name,
    protocol: row.protocol,
    status: row.status,
    ...config,
    jit_provisioning: jit,
    idp_certificates: idp_certificates.map((pem) => toCertificate(pem, null, now)),
    oidc_client_secret_set: row.oidc_client_secret_sealed !== null,
    sp: {
      ...spOf(platform, row.id),
      certificates: shownKeys.map(({ certificatePem, status }) => toCertificate(certificatePem, status, now)),
    },
    oidc_redirect_uri: oidcRedirectUri(platform, callbackOf({ ...config, id: row.id })),
    oidc_post_logout_redirect_uri: oidcPostLogoutRedirectUri(platform),
    // Only `testConnection` writes this column.
    last_test: row.last_test as Connection['last_test'],
    last_login_at: row.last_login_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
