import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import type { Begun } from './begin/begin.ts'
import { FederationFailure } from './errors.ts'

/** Checks again what may have changed in a connection since the sign-in began. Throws FederationFailure. */
export async function assertStillOpen(
  work: Work,
  { protocol, status }: { protocol: string; status: string },
  { isTest, by }: Pick<Begun, 'isTest'> & { by: 'saml' | 'oidc' },
): Promise<void> {
  if (!(await isServiceEnabled(work, 'sso'))) throw new FederationFailure('service_disabled')
  if (protocol !== by) throw new FederationFailure('response_invalid', 'The connection is of another protocol.')
  if (status !== 'active' && !(isTest && status === 'testing')) throw new FederationFailure('connection_not_active')
}
