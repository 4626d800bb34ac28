import { defineErrors } from '../../../../platform/errors.ts'

export const templateErrors = defineErrors({
  notFound: [
    404,
    'mail_template_not_found',
    'No such email text',
    'No kind of email with changeable texts has this name, or emails are not written in this language. GET /v1/mail/templates lists both.',
  ],
})
