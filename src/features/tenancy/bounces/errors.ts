import { defineErrors } from '../../../platform/errors.ts'

export const bounceErrors = defineErrors({
  suppressionNotFound: [
    404,
    'suppression_not_found',
    'No such suppression',
    'It was cleared or has ended, or it belongs to another organization or to the whole environment. List them by GET /v1/mail/suppressions.',
  ],
})
