import { Type } from 'typebox'
import { named, secret } from '../../../platform/schema.ts'

/** A password to verify: of any length that one may have. */
export const Password = Type.String({
  description: 'The password as the user typed it.',
  minLength: 1,
  maxLength: 4096,
  examples: ['correct horse battery staple'],
})

/** A password to set: the policy decides about its length, with `weak_password`. */
export const NewPassword = named(
  'NewPassword',
  secret(
    Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'At least password_min_length characters. Spaces count, and there are no composition rules.',
      examples: ['correct horse battery staple'],
    }),
  ),
)
