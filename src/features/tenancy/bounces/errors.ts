import { defineErrors } from '../../../platform/errors.ts'

export const bounceErrors = defineErrors({
  suppressionNotFound: [
    404,
    'suppression_not_found',
    'No such suppression',
    'The suppression was cleared or has ended, or it belongs to another organization. Send the suppression’s `sub_org_id` as `subOrgId`, or omit `subOrgId` if `sub_org_id` is null (GET /v1/mail/suppressions).',
  ],
})
