import { defineErrors } from '../errors.ts'

export const mailErrors = defineErrors({
  templatesTooLarge: [
    409,
    'mail_templates_too_large',
    'Too many email texts',
    'The email texts of an organization, or of the defaults of an environment, may have 100 000 characters in total. Shorten or reset some of them.',
  ],
})
