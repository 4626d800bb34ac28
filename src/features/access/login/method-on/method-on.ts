import { isServiceEnabled } from '../../../../platform/tenancy/services.ts'
import type { Work } from '../../../../platform/work.ts'
import { loginErrors } from '../errors.ts'
import { signInMethods } from '../methods.ts'

/** Throws `method_disabled` if no sign-in method is on. */
export async function assertMethodOn(work: Work): Promise<void> {
  for (const { offer } of signInMethods.of(work.platform))
    if (offer && (await isServiceEnabled(work, offer.service)) && (await offer.isOn(work))) return
  throw loginErrors.methodDisabled({
    detail: 'No sign-in method is on in this organization, so an invited user could not sign in.',
  })
}
