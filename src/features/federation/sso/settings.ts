import { Type } from 'typebox'
import { invalidField } from '../../../platform/errors.ts'
import { isOfDomain } from '../../../platform/mail/address.ts'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'
import type { Work } from '../../../platform/work.ts'
import { listDomains } from '../../directory/domains/domains.ts'
import { type KnownConnection, knownConnections, missingFields, usableConnections } from '../connections/known/known.ts'

/** Whether users may sign in with methods other than single sign-on. */
export const enforcementSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    enforce_sso: Type.Boolean({
      description:
        'Whether users must sign in with single sign-on. Sessions of other methods can then no longer be refreshed. Requires an active, complete connection and a verified domain.',
    }),
    sso_exempt_user_ids: Type.Array(Type.String({ format: 'uuid' }), {
      maxItems: 100,
      description:
        'Users who may sign in with other methods, for example if the provider fails. Values of directory_user_id.',
    }),
  }),
  { enforce_sso: false, sso_exempt_user_ids: [] },
  assertReachable,
)

const refused = (code: string, message: string) => invalidField('enforce_sso', code, `enforce_sso takes ${message}`)

/**
 * Refuses to enforce single sign-on without a working connection, since all users would be locked out. Throws
 * `invalid_request`, which names what is missing.
 */
async function assertReachable(
  work: Pick<Work, 'platform' | 'directory'>,
  patch: Record<string, unknown>,
): Promise<void> {
  if (patch['enforce_sso'] !== true) return
  const usable = await usableConnections(work)
  if (usable.length === 0) {
    const active = (await knownConnections(work)).filter(({ status }) => status === 'active')
    const missing = active.map((each) => `${each.name} lacks ${missingFields(each).join(', ')}`)
    if (missing.length > 0)
      throw refused('connection_incomplete', `a connection that is complete: ${missing.join('; ')}`)
    throw refused('no_connection', 'an active connection')
  }
  const { platform, directory } = work
  const domains = await listDomains({ db: platform.db, directory })
  const verified = domains.filter(({ status }) => status === 'verified').map(({ domain }) => domain)
  if (verified.length === 0)
    throw refused(
      'no_domain',
      'a verified domain of the organization: add_domain and verify_domain of the admin portal',
    )
  const isOurs = (each: KnownConnection) =>
    each.domains.length === 0 || verified.some((domain) => isOfDomain(`@${domain}`, each.domains))
  if (!usable.some(isOurs))
    throw refused('no_domain', 'a connection whose domains name one that the organization has verified')
}
