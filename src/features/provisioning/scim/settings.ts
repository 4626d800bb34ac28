import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** A burst may have as many requests as the client could send in this many seconds at the steady rate. */
export const BURST_SECONDS = 4

// Stored with the sign-in settings, because a caller that may only change the provisioning configuration must not
// raise this limit.
export const provisioningSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    scim_requests_per_second: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: `Requests that the SCIM client may send per second. A short burst may have ${BURST_SECONDS} times this number of requests.`,
    }),
  }),
  { scim_requests_per_second: 25 },
)
