import { defineErrors } from '../../../platform/errors.ts'

export const socialErrors = defineErrors({
  providerDisabled: [
    403,
    'provider_disabled',
    'The provider is off',
    'PUT /v1/social/providers with enabled turns it on for the organization.',
  ],
  ownApplication: [
    403,
    'social_start_required',
    'The sign-in was by another application',
    'The organization signs in at the provider by an application of its own: start a sign-in with its subOrgId (POST /v1/auth/login/social/start).',
  ],
  notConfigured: [
    409,
    'provider_not_configured',
    'The provider is not configured',
    'Neither the organization nor its environment nor the deployment has credentials: set them by PUT /v1/social/providers.',
  ],
})
