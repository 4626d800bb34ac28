import { defineErrors } from '../../../../platform/errors.ts'

export const templateErrors = defineErrors({
  notFound: [
    404,
    'mail_template_not_found',
    'No such email text',
    'No kind of email with editable texts has this name, or emails do not exist in this language. GET /v1/mail/templates lists the kinds and the languages.',
  ],
})
