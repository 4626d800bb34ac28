import { defineErrors } from '../../../platform/errors.ts'

export const socialErrors = defineErrors({
  providerDisabled: [
    403,
    'provider_disabled',
    'The provider is disabled',
    'Enable the provider for the organization with PUT /v1/social/providers and enabled true.',
  ],
  ownApplication: [
    403,
    'social_start_required',
    'The organization uses another application',
    'The organization has its own application at the provider. Start a sign-in with its subOrgId (POST /v1/auth/login/social/start).',
  ],
  notConfigured: [
    409,
    'provider_not_configured',
    'The provider is not configured',
    'No credentials are set for the organization, its environment or the deployment. Set them with PUT /v1/social/providers.',
  ],
})
