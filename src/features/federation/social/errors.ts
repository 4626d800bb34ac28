import { defineErrors } from '../../../platform/errors.ts'

export const socialErrors = defineErrors({
  providerDisabled: [
    403,
    'provider_disabled',
    'The provider is off',
    'PUT /v1/social/providers with enabled turns it on for the organization.',
  ],
  notConfigured: [
    409,
    'provider_not_configured',
    'The provider is not configured',
    'Neither the organization nor the deployment has credentials for it: set them by PUT /v1/social/providers.',
  ],
})
