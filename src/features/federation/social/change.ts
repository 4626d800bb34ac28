import { isAppleKey, isTenant, type SocialName } from '../../../platform/config/config-social.ts'
import { invalidField } from '../../../platform/errors.ts'
import { changedFrom, record } from '../../../platform/events/events.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { closeSource } from '../federation/federation.ts'
import { socialEvents } from './events.ts'
import { cachedRows, listProviders, optionsOf, type ProviderOptions, secretPlace, toProvider } from './providers.ts'
import type { SocialProvider, SocialProviderPut } from './schema.ts'
import { lockProviderRow, updateProviderRow } from './store.ts'

type Field = Exclude<keyof SocialProviderPut, 'provider' | 'enabled'>

/** Fields that only these providers have. All providers have the other fields. */
const OWNERS: Partial<Record<Field, readonly SocialName[]>> = {
  client_secret: ['google', 'github', 'microsoft'],
  team_id: ['apple'],
  key_id: ['apple'],
  private_key: ['apple'],
  tenant: ['microsoft'],
}

/**
 * Turns a provider on or off and sets the given credentials. Absent fields stay, null removes a field. Throws
 * `invalid_request`.
 */
export async function changeProvider(work: Work, put: SocialProviderPut): Promise<SocialProvider[]> {
  assertFits(put)
  const { provider: name, enabled, client_secret, private_key } = put
  const given = name === 'apple' ? private_key : client_secret
  return inTx(work, async (work) => {
    const { platform, directory, db } = work
    const before = await lockProviderRow(db, directory, name)
    const shown = await toProvider(work, name, before)
    assertCallback(shown, put)
    const seal = (secret: string) => platform.keyring.seal(secretPlace(directory, name), secret)
    const after = await updateProviderRow(db, directory, {
      provider: name,
      enabled,
      client_id: put.client_id === undefined ? before.client_id : put.client_id,
      secret_sealed: given === undefined ? before.secret_sealed : given === null ? null : await seal(given),
      options: changedOptions(optionsOf(before), shown, put),
    })
    if (!enabled) await closeSource(work, { method: 'social', source: name })
    await cachedRows(platform).invalidate(db, directory.id)
    const data = await toProvider(work, name, after)
    await record(work, socialEvents.updated({ data, previous: changedFrom(shown, data) }))
    const others = (await listProviders(work)).filter(({ provider }) => provider !== name)
    return sorted([...others, data])
  })
}

/**
 * The organization's first application uses the redirect URI that was shown before, since it was registered with
 * that.
 */
function changedOptions(stored: ProviderOptions, shown: SocialProvider, put: SocialProviderPut): ProviderOptions {
  const { scopes, team_id, key_id, tenant } = put
  const isFirst = shown.client_id === null && put.client_id != null
  const callback = put.callback ?? (isFirst ? shown.callback : undefined)
  const sent = { scopes, team_id, key_id, tenant: tenant?.toLowerCase() ?? tenant, callback }
  const merged = Object.entries({ ...stored, ...defined(sent) })
  return Object.fromEntries(merged.filter(([, value]) => value !== null))
}

function defined<T extends object>(fields: T): Partial<T> {
  const kept: Partial<T> = {}
  return Object.assign(kept, Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)))
}

/**
 * Refuses to return to the shared redirect URI: there, only the state decides who gets a code. Throws
 * `invalid_request`.
 */
function assertCallback(shown: SocialProvider, { callback, client_id = shown.client_id }: SocialProviderPut): void {
  if (callback === undefined || callback === shown.callback) return
  if (callback === 'shared')
    throw invalidField('callback', 'not_applicable', 'callback cannot be changed to shared: keep provider')
  if (client_id === null)
    throw invalidField(
      'callback',
      'not_applicable',
      'callback requires that the organization has its own application: send client_id',
    )
}

const ORDER = ['google', 'github', 'apple', 'microsoft']
const sorted = (providers: SocialProvider[]) =>
  providers.sort((a, b) => ORDER.indexOf(a.provider) - ORDER.indexOf(b.provider))

function assertFits(put: SocialProviderPut): void {
  for (const [field, owners] of Object.entries(OWNERS))
    if (!owners.includes(put.provider) && Reflect.get(put, field) !== undefined)
      throw invalidField(field, 'not_applicable', `${field} is for ${owners.join(', ')}`)
  if (put.tenant != null && !isTenant(put.tenant))
    throw invalidField('tenant', 'format', 'tenant must be common, organizations, consumers, or the ID of a tenant')
  if (put.private_key != null && !isAppleKey(put.private_key))
    throw invalidField('private_key', 'format', 'private_key must be the text of a .p8 file: an EC key of P-256 in PEM')
}
