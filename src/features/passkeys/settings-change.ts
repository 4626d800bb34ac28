import { httpErrors } from '../../platform/errors.ts'
import type { Directory } from '../../platform/http/directory.ts'
import type { RequestContext } from '../../platform/http/route.ts'
import type { Platform } from '../../platform/platform.ts'
import { relatedOrigins } from './related-origins.ts'
import { isOrigin, isWithin, ownHost, relyingPartyOf } from './relying-party.ts'
import { passkeySettings } from './settings.ts'

/** The settings in force, and what follows from them. */
export async function readSettings(platform: Platform, directory: Directory) {
  const { id, name, origins, settings } = await relyingPartyOf(platform, directory)
  return { settings, relying_party: { id, name, origins } }
}

/** Changes the settings of a directory. Throws `invalid_request` for an origin that could never be used. */
export async function changeSettings(context: RequestContext, directory: Directory, patch: Record<string, unknown>) {
  const { platform } = context
  await assertOriginsFit(platform, directory, patch)
  await passkeySettings.update(context, directory, patch)
  await platform.tx((tx) => relatedOrigins(platform).invalidate(tx, ''))
  return readSettings(platform, directory)
}

async function assertOriginsFit(platform: Platform, directory: Directory, patch: Record<string, unknown>) {
  const present = await passkeySettings.effective(platform, directory)
  const given = patch['rp_id']
  const rpId = (typeof given === 'string' ? given : present.rp_id) ?? ownHost(platform)
  for (const field of ['origins', 'related_origins'] as const) {
    const list: unknown = patch[field]
    if (!Array.isArray(list)) continue
    for (const [at, origin] of list.entries()) {
      if (!isOrigin(platform.config, String(origin)))
        throw refused(`${field}.${at}`, 'an entry must be an origin such as https://app.acme.com, without a path')
      if (field === 'origins' && !isWithin(String(origin), rpId))
        throw refused(`${field}.${at}`, `an entry must be of ${rpId} or below it; other sites are related_origins`)
    }
  }
}

function refused(field: string, message: string) {
  return httpErrors.invalidRequest({ detail: `${field}: ${message}.`, errors: [{ field, code: 'origin', message }] })
}
