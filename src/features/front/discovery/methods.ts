import type { ServiceId } from '../../../contract/contract.ts'
import { httpErrors } from '../../../platform/errors.ts'
import { isServiceEnabled } from '../../../platform/tenancy/services.ts'
import type { Work } from '../../../platform/work.ts'
import { loginErrors } from '../../access/login/login.ts'
import { magicLinkMethod } from '../../sign-in/links/magic-link/magic-link.ts'
import { otpMethod } from '../../sign-in/otp/sign-in-codes/sign-in-codes.ts'

/** The methods that prove a mailbox in discovery. The resulting session has the same method. */
export const discoveryMethods = { otp: otpMethod, magic_link: magicLinkMethod }

export type DiscoveryMethod = keyof typeof discoveryMethods

/** Whether the method is available. */
export async function isOffered(work: Work, method: DiscoveryMethod): Promise<boolean> {
  return (await isServiceEnabled(work, method)) && (await isOn(work, method))
}

const isOn = async (work: Work, method: DiscoveryMethod) => (await discoveryMethods[method].offer?.isOn(work)) ?? false

/** Throws `service_disabled`, `method_disabled`. */
export async function assertOffered(work: Work, method: DiscoveryMethod): Promise<void> {
  await assertServiceOn(work, method)
  if (!(await isOn(work, method)))
    throw loginErrors.methodDisabled({ detail: 'The sign-in method is off in this organization.' })
}

/** Throws `service_disabled`. */
export async function assertServiceOn(work: Work, service: ServiceId): Promise<void> {
  if (await isServiceEnabled(work, service)) return
  throw httpErrors.serviceDisabled({
    detail: `The service ${service} is not enabled for this organization.`,
    extra: { service },
  })
}
