import { defineErrors } from '../../../platform/errors.ts'

export const erasureErrors = defineErrors({
  nameMismatch: [
    409,
    'organization_name_mismatch',
    'The name does not match',
    'The organization has another name. Send its name exactly as GET /v1/organizations/{subOrgId} shows it.',
  ],
})
