import { defineErrors } from '../../../platform/errors.ts'

export const erasureErrors = defineErrors({
  nameMismatch: [
    409,
    'organization_name_mismatch',
    'The name does not match',
    'The request does not contain the name of this organization. Send the name exactly as GET /v1/organizations/{subOrgId} shows it.',
  ],
})
