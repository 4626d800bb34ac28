import { SOCIAL_NAMES, type SocialName } from '../../platform/config-social.ts'
import type { SealedPlace } from '../../platform/crypto/secret-box.ts'
import type { Directory } from '../../platform/http/directory.ts'
import { type Platform, perPlatform } from '../../platform/platform.ts'
import type { Work } from '../../platform/work.ts'
import { publicUrl } from '../federation/federation.ts'
import type { Application } from './dialect.ts'
import { dialects } from './dialects.ts'
import type { SocialProvider } from './schema.ts'
import { listProviderRows, type ProviderRow } from './store.ts'

/** Where providers send the browser back to: one address for all of them. */
export const CALLBACK = '/v1/auth/login/social/callback'

type Tenant = Pick<Work, 'platform' | 'directory'>

/** What an organization has set of a provider, besides its secret. */
export interface ProviderOptions {
  scopes?: string[]
  team_id?: string
  key_id?: string
  tenant?: string
}

const rows = perPlatform((platform) =>
  platform.caches.define<ProviderRow[]>('social_providers', (id) => listProviderRows(platform.db, { id })),
)

export const cachedRows = (platform: Platform) => rows(platform)

async function findRow({ platform, directory }: Tenant, name: SocialName): Promise<ProviderRow | undefined> {
  return (await rows(platform).get(directory.id)).find(({ provider }) => provider === name)
}

/** All providers, as the organization has them. */
export async function listProviders(work: Tenant): Promise<SocialProvider[]> {
  const known = await rows(work.platform).get(work.directory.id)
  return SOCIAL_NAMES.map((name) =>
    toProvider(
      work.platform,
      name,
      known.find(({ provider }) => provider === name),
    ),
  )
}

export function toProvider(platform: Platform, name: SocialName, row: ProviderRow | undefined): SocialProvider {
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
    callback_url: publicUrl(platform, CALLBACK),
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

/** Whether the provider is on, and the application to sign in with; null where it is not configured. */
export async function findApplication(
  work: Tenant,
  name: SocialName,
): Promise<{ enabled: boolean; application: Application | null }> {
  const row = await findRow(work, name)
  const enabled = row?.enabled ?? false
  if (!isConfigured(work.platform, name, row)) return { enabled, application: null }
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
  return { enabled, application }
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
