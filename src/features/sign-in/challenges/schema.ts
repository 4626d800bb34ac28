import { Type } from 'typebox'

/** The token that identifies a sign-in that waits for its second factor. */
export const ChallengeToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: '`challenge_token` of the response of the sign-in.',
  examples: ['mfa_3uJ0vQm8ZtW1nB7kYxR5cDpLs2Fa9HgE6oTiKbVwXyU'],
})
