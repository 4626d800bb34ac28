import { invalidField } from '../../../platform/errors.ts'
import { inTx, type Work } from '../../../platform/work.ts'
import { isOrigin, isWithin, ownHost } from './origins.ts'
import { relatedOrigins } from './related-origins.ts'
import { type RelyingParty, relyingPartyBy, relyingPartyOf } from './relying-party.ts'
import { passkeySettings } from './settings.ts'
import { recordRpIdClaim } from './store.ts'

/** Reads the current settings, and the relying party that results from them. */
export async function readSettings(work: Work) {
  return describe(await relyingPartyOf(work))
}

function describe({ id, name, origins, settings }: RelyingParty) {
  return { settings, relying_party: { id, name, origins } }
}

/** Changes the settings of a directory. Throws `invalid_request` for an origin that could never be used. */
export async function changeSettings(work: Work, patch: Record<string, unknown>) {
  await assertOriginsFit(work, patch)
  return inTx(work, async (work) => {
    const settings = await passkeySettings.update(work, patch)
    await recordRpIdClaim(work.db, work.directory)
    await relatedOrigins(work.platform).invalidate(work.db, '')
    return describe(await relyingPartyBy(work, settings))
  })
}

async function assertOriginsFit(work: Work, patch: Record<string, unknown>) {
  const { platform } = work
  const present = await passkeySettings.effective(work)
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
  return invalidField(field, 'origin', message, `${field}: ${message}.`)
}
