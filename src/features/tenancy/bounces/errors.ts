import { defineErrors } from '../../../platform/errors.ts'

export const bounceErrors = defineErrors({
  suppressionNotFound: [
    404,
    'suppression_not_found',
    'No such suppression',
    'It was cleared or has ended, or `subOrgId` is not that of the suppression: send its `sub_org_id` as `subOrgId`, and leave it out if that is null. List them by GET /v1/mail/suppressions.',
  ],
})
