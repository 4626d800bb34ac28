import { defineErrors } from '../../../platform/errors.ts'

export const socialErrors = defineErrors({
  providerDisabled: [
    403,
    'provider_disabled',
    'The provider is disabled',
    'Turn the provider on for the organization: PUT /v1/social/providers with enabled true.',
  ],
  ownApplication: [
    403,
    'social_start_required',
    'Sign-in must start at the organization',
    'The organization has its own application at the social provider, so a sign-in through the shared application is not accepted. Start a new sign-in with the organization’s subOrgId (POST /v1/auth/login/social/start).',
  ],
  notConfigured: [
    409,
    'provider_not_configured',
    'The provider is not configured',
    'No credentials for the provider are set for the organization, its environment or the deployment. Set them with PUT /v1/social/providers.',
  ],
})
