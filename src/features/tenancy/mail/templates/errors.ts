import { defineErrors } from '../../../../platform/errors.ts'

export const templateErrors = defineErrors({
  notFound: [
    404,
    'mail_template_not_found',
    'No such email text',
    'There is no kind of email of this name whose texts can be changed, or emails are not written in this language. GET /v1/mail/templates lists both.',
  ],
})
