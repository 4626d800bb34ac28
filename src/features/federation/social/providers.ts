import { SOCIAL_NAMES, type SocialName } from '../../../platform/config/config-social.ts'
import type { SealedPlace } from '../../../platform/crypto/secret-box.ts'
import { type Platform, perPlatform } from '../../../platform/platform.ts'
import { type Directory, defaultsDirectory } from '../../../platform/tenancy/directory.ts'
import type { Work } from '../../../platform/work.ts'
import type { Application } from './dialect.ts'
import { dialects } from './dialects.ts'
import { socialRedirectUri } from './redirect-uri.ts'
import type { SocialProvider } from './schema.ts'
import { isSharedByDeployment, listProviderRows, type ProviderRow } from './store.ts'

type Tenant = Pick<Work, 'platform' | 'directory'>

/** The settings of a provider in an organization, without the secret. */
export interface ProviderOptions {
  scopes?: string[]
  team_id?: string
  key_id?: string
  tenant?: string
  callback?: Callback
}

/** The provider's own redirect URI, or the URI that all providers of earlier releases share. */
export type Callback = 'provider' | 'shared'

const rows = perPlatform((platform) =>
  platform.caches.define<ProviderRow[]>('social_providers', (id) => listProviderRows(platform.db, { id })),
)

export const cachedRows = (platform: Platform) => rows(platform)

const sharedByDeployment = perPlatform((platform) =>
  platform.caches.define<boolean>('social_redirects', () => isSharedByDeployment(platform.db)),
)

/** A provider's row in a directory, and the application that signs users in. */
interface Known {
  row: ProviderRow | undefined
  /**
   * The organization's application, or else the one in the environment's defaults. Null: the deployment's
   * application, if there is one.
   */
  application: { row: ProviderRow; directory: Directory } | null
}

async function findKnown(work: Tenant, name: SocialName, row?: ProviderRow): Promise<Known> {
  const { platform, directory } = work
  const own = row ?? (await findRow(platform, directory, name))
  if (own && own.client_id !== null) return { row: own, application: { row: own, directory } }
  const defaults = await defaultsDirectory(platform, directory)
  const inherited = defaults.id === directory.id ? undefined : await findRow(platform, defaults, name)
  const application = inherited && inherited.client_id !== null ? { row: inherited, directory: defaults } : null
  return { row: own, application }
}

/**
 * Which redirect URI an application uses. For the deployment's applications, the operator decides
 * (`WATCHWORD_SOCIAL_CALLBACK`). An application of an organization or of the defaults has its own setting. Earlier
 * releases stored no setting and used the shared URI.
 */
async function callbackOf(platform: Platform, name: SocialName, { row, application }: Known): Promise<Callback> {
  if (application) return optionsOf(application.row).callback ?? 'shared'
  if (platform.config.social[name].clientId === null) return row ? (optionsOf(row).callback ?? 'shared') : 'provider'
  return platform.config.socialCallback ?? ((await sharedByDeployment(platform).get('')) ? 'shared' : 'provider')
}

async function findRow(platform: Platform, { id }: Directory, name: SocialName): Promise<ProviderRow | undefined> {
  return (await rows(platform).get(id)).find(({ provider }) => provider === name)
}

/** All providers with the organization's settings. */
export async function listProviders(work: Tenant): Promise<SocialProvider[]> {
  return Promise.all(SOCIAL_NAMES.map((name) => toProvider(work, name)))
}

/** A provider with the organization's settings. Pass the row as `changed` if a transaction has just written it. */
export async function toProvider(work: Tenant, name: SocialName, changed?: ProviderRow): Promise<SocialProvider> {
  const { platform } = work
  const known = await findKnown(work, name, changed)
  const { row } = known
  const callback = await callbackOf(platform, name, known)
  const { scopes, team_id, key_id, tenant } = optionsOf(row)
  return {
    provider: name,
    enabled: row?.enabled ?? false,
    configured: isConfigured(platform, name, known),
    client_id: row?.client_id ?? null,
    team_id: team_id ?? null,
    key_id: key_id ?? null,
    tenant: tenant ?? null,
    scopes: scopesOf(name, scopes ?? optionsOf(known.application?.row).scopes),
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

/**
 * Whether there is a complete application. An application of the organization counts even if it is incomplete. If the
 * organization has no application, the application of the defaults counts, or else the deployment’s.
 */
function isConfigured({ config }: Platform, name: SocialName, { application }: Known): boolean {
  if (!application) return config.social[name].clientId !== null
  const { team_id, key_id } = optionsOf(application.row)
  const isComplete = name !== 'apple' || (team_id !== undefined && key_id !== undefined)
  return application.row.secret_sealed !== null && isComplete
}

/** Whether the provider is on, and the application to sign in with. The application is null if it is not configured. */
export async function findApplication(
  work: Tenant,
  name: SocialName,
): Promise<{ enabled: boolean; application: Application | null; callback: Callback }> {
  const { platform } = work
  const known = await findKnown(work, name)
  const enabled = known.row?.enabled ?? false
  const callback = await callbackOf(platform, name, known)
  if (!isConfigured(platform, name, known)) return { enabled, application: null, callback }
  const set = { ...optionsOf(known.application?.row), ...optionsOf(known.row) }
  const scopes = scopesOf(name, set.scopes)
  if (!known.application) {
    const { clientId, secret, teamId, keyId, tenant } = platform.config.social[name]
    const usual = { clientId: clientId ?? '', secret: secret ?? '', teamId, keyId, tenant: set.tenant ?? tenant }
    return { enabled, callback, application: { ...usual, scopes } }
  }
  const { row, directory } = known.application
  const { team_id: teamId = null, key_id: keyId = null } = optionsOf(row)
  const secret = await platform.keyring.open(secretPlace(directory, name), row.secret_sealed ?? '')
  const own = { clientId: row.client_id ?? '', secret, teamId, keyId, tenant: set.tenant ?? null }
  return { enabled, callback, application: { ...own, scopes } }
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
