import { Type } from 'typebox'

/** To be compared: of any length that one could have. */
export const Password = Type.String({ minLength: 1, maxLength: 4096 })

/** To be set: how long it has to be is the policy's to say, with `weak_password`. */
export const NewPassword = Type.String({
  minLength: 1,
  maxLength: 4096,
  description: 'password_min_length characters or more, spaces and all; no rules about their kinds.',
})
