import { SOCIAL_NAMES, type SocialName } from '../../../platform/config/config-social.ts'
import type { SealedPlace } from '../../../platform/crypto/secret-box.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import type { Directory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import type { Application } from './dialect.ts'
import { dialects } from './dialects.ts'
import { socialRedirectUri } from './redirect-uri.ts'
import type { SocialProvider } from './schema.ts'
import { isSharedByDeployment, listProviderRows, type ProviderRow } from './store.ts'

type Tenant = Pick<Work, 'platform' | 'directory'>

/** What an organization has set of a provider, besides its secret. */
export interface ProviderOptions {
  scopes?: string[]
  team_id?: string
  key_id?: string
  tenant?: string
  callback?: Callback
}

/** The redirect URI of the provider alone, or the URI that all providers of earlier releases share. */
export type Callback = 'provider' | 'shared'

const rows = perPlatform((platform) =>
  platform.caches.define<ProviderRow[]>('social_providers', (id) => listProviderRows(platform.db, { id })),
)

export const cachedRows = (platform: Platform) => rows(platform)

const sharedByDeployment = perPlatform((platform) =>
  platform.caches.define<boolean>('social_redirects', () => isSharedByDeployment(platform.db)),
)

/** Whether the organization signs in by the deployment's application, for want of one of its own. */
const usesDeployment = ({ config }: Platform, name: SocialName, row: ProviderRow | undefined) =>
  (row === undefined || row.client_id === null) && config.social[name].clientId !== null

/**
 * Which redirect URI is in force. The operator decides for the deployment's applications (`WATCHWORD_SOCIAL_CALLBACK`), the
 * organization for its own; earlier releases stored nothing and used the shared one.
 */
async function callbackOf(platform: Platform, name: SocialName, row: ProviderRow | undefined): Promise<Callback> {
  if (!usesDeployment(platform, name, row)) return row ? (optionsOf(row).callback ?? 'shared') : 'provider'
  return platform.config.socialCallback ?? ((await sharedByDeployment(platform).get('')) ? 'shared' : 'provider')
}

async function findRow({ platform, directory }: Tenant, name: SocialName): Promise<ProviderRow | undefined> {
  return (await rows(platform).get(directory.id)).find(({ provider }) => provider === name)
}

/** All providers, as the organization has them. */
export async function listProviders(work: Tenant): Promise<SocialProvider[]> {
  const known = await rows(work.platform).get(work.directory.id)
  const show = (name: SocialName) =>
    toProvider(
      work.platform,
      name,
      known.find(({ provider }) => provider === name),
    )
  return Promise.all(SOCIAL_NAMES.map(show))
}

export async function toProvider(
  platform: Platform,
  name: SocialName,
  row: ProviderRow | undefined,
): Promise<SocialProvider> {
  const callback = await callbackOf(platform, name, row)
  const { scopes, team_id, key_id, tenant } = optionsOf(row)
  return {
    provider: name,
    enabled: row?.enabled ?? false,
    configured: isConfigured(platform, name, row),
    client_id: row?.client_id ?? null,
    team_id: team_id ?? null,
    key_id: key_id ?? null,
    tenant: tenant ?? null,
    scopes: scopesOf(name, scopes),
    callback,
    callback_url: socialRedirectUri(platform, callback === 'provider' ? name : null),
  }
}

export function optionsOf(row: Pick<ProviderRow, 'options'> | undefined): ProviderOptions {
  const options: ProviderOptions = Object(row?.options)
  return options
}

function scopesOf(name: SocialName, chosen: string[] | undefined): string[] {
  const [needed, ...usual] = dialects[name].scopes
  return [...new Set([needed, ...(chosen ?? usual)])]
}

/** An application of its own counts alone, whole or not; without one the organization has the deployment’s. */
function isConfigured({ config }: Platform, name: SocialName, row: ProviderRow | undefined): boolean {
  if (row === undefined || row.client_id === null) return config.social[name].clientId !== null
  const { team_id, key_id } = optionsOf(row)
  return row.secret_sealed !== null && (name !== 'apple' || (team_id !== undefined && key_id !== undefined))
}

/** Whether the provider is on, and the application to sign in with; null if it is not configured. */
export async function findApplication(
  work: Tenant,
  name: SocialName,
): Promise<{ enabled: boolean; application: Application | null; callback: Callback }> {
  const row = await findRow(work, name)
  const enabled = row?.enabled ?? false
  const callback = await callbackOf(work.platform, name, row)
  if (!isConfigured(work.platform, name, row)) return { enabled, application: null, callback }
  const { scopes, team_id, key_id, tenant } = optionsOf(row)
  const shared = work.platform.config.social[name]
  const own = row?.client_id != null && row.secret_sealed !== null ? { ...row, sealed: row.secret_sealed } : null
  const secret = own ? await work.platform.keyring.open(secretPlace(work.directory, name), own.sealed) : shared.secret
  const application = {
    clientId: own?.client_id ?? shared.clientId ?? '',
    secret: secret ?? '',
    scopes: scopesOf(name, scopes),
    teamId: own ? (team_id ?? null) : shared.teamId,
    keyId: own ? (key_id ?? null) : shared.keyId,
    tenant: tenant ?? (own ? null : shared.tenant),
  }
  return { enabled, application, callback }
}

/** The providers that a sign-in page can offer. */
export async function offeredProviders(work: Tenant): Promise<SocialName[]> {
  return (await listProviders(work))
    .filter(({ enabled, configured }) => enabled && configured)
    .map(({ provider }) => provider)
}

export function secretPlace({ id, accountId }: Directory, name: SocialName): SealedPlace {
  return { table: 'social_providers', column: 'secret_sealed', row: `${id}/${name}`, accountId }
}
