import { Type } from 'typebox'
import { invalidField } from '../../platform/errors.ts'
import { defineSettingsPart } from '../../platform/settings.ts'
import type { Work } from '../../platform/work.ts'
import { hasActiveConnection } from '../connections/connections.ts'

/** Whether users may sign in by other ways than the identity provider of their organization. */
export const enforcementSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    enforce_sso: Type.Boolean({
      description:
        'Whether users sign in, and refresh, only by single sign-on. Of an organization that has an active connection.',
    }),
    sso_exempt_user_ids: Type.Array(Type.String({ format: 'uuid' }), {
      maxItems: 100,
      description: 'Users who may sign in by other ways all the same, should the provider fail: directory_user_id.',
    }),
  }),
  { enforce_sso: false, sso_exempt_user_ids: [] },
  assertReachable,
)

/** Nobody could sign in without a connection. Throws `invalid_request`. */
async function assertReachable(
  work: Pick<Work, 'platform' | 'directory'>,
  patch: Record<string, unknown>,
): Promise<void> {
  if (patch['enforce_sso'] !== true || (await hasActiveConnection(work))) return
  const message = 'enforce_sso takes an active connection: without one nobody could sign in'
  throw invalidField('enforce_sso', 'no_connection', message)
}
