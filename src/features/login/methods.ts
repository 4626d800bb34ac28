import { type Static, Type } from 'typebox'
import type { ServiceId } from '../../contract.ts'
import { handedIn } from '../../platform/platform.ts'
import { named, nullable } from '../../platform/schema.ts'
import { isServiceEnabled } from '../../platform/services.ts'
import type { Work } from '../../platform/work.ts'

/** A way to sign in, which its noun brings in. */
export interface SignInMethod {
  /** `auth_method` of the sessions that it opens. Permanent: rows hold it. */
  id: string
  /** How a sign-in page offers it; null where people come to it by other ways, such as an invitation. */
  offer: {
    label: string
    service: ServiceId
    isOn(work: Work): Promise<boolean>
    /** Of one that goes by others: which of them. */
    providers?(work: Work): Promise<string[]>
  } | null
}

/** Those of this deployment, in the order of a sign-in page. */
export const signInMethods = handedIn<readonly SignInMethod[]>('the sign-in methods')

/** One way to sign in, as a sign-in page offers it. */
export const LoginMethod = named(
  'LoginMethod',
  Type.Object(
    { id: Type.String(), label: Type.String(), providers: nullable(Type.Array(Type.String())) },
    { examples: [{ id: 'otp', label: 'Email code', providers: null }] },
  ),
)

/** The sign-in methods available in this directory, in the order of a sign-in page. Empty while Auth is off. */
export async function listLoginMethods(work: Work): Promise<Static<typeof LoginMethod>[]> {
  const methods = []
  for (const { id, offer } of signInMethods.of(work.platform)) {
    if (offer && (await offer.isOn(work)) && (await isServiceEnabled(work, offer.service)))
      methods.push({ id, label: offer.label, providers: (await offer.providers?.(work)) ?? null })
  }
  return methods
}
