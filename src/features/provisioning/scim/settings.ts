import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

/** For how long a client may send at once what it could send steadily. */
export const BURST_SECONDS = 4

// Beside the settings of sign-in: a caller that may change the configuration of provisioning must not raise this limit.
export const provisioningSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    scim_requests_per_second: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: `Requests that the SCIM client may send per second. Bursts may have ${BURST_SECONDS} times as many.`,
    }),
  }),
  { scim_requests_per_second: 25 },
)
