import { Type } from 'typebox'
import { named, secret } from '../../../platform/schema.ts'

/** A password to check, of any possible length. */
export const Password = Type.String({
  description: 'The password as the user typed it.',
  minLength: 1,
  maxLength: 4096,
  examples: ['correct horse battery staple'],
})

/** A password to set. The policy checks its length and refuses with `weak_password`. */
export const NewPassword = named(
  'NewPassword',
  secret(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description:
        'The new password, with at least password_min_length characters. Spaces are allowed and counted. No kinds of characters are required.',
      examples: ['correct horse battery staple'],
    }),
  ),
)
