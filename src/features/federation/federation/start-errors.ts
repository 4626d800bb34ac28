import { deliveryErrors } from '../../sign-in/links/links.ts'

/** What every start of a sign-in at a provider may refuse. */
export const startErrors = [deliveryErrors.invalidRedirectUri]
