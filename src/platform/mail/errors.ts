import { defineErrors } from '../errors.ts'

export const mailErrors = defineErrors({
  templatesTooLarge: [
    409,
    'mail_templates_too_large',
    'Too many email texts',
    'The email texts of one organization, or of the defaults of an environment, may have 100 000 characters in all. Reset some of them, or shorten them.',
  ],
})
