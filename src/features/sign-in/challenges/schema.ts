import { Type } from 'typebox'

/** What a sign-in that waits for its second factor goes by. */
export const ChallengeToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: '`challenge_token` of the response of the sign-in.',
  examples: ['mfa_3uJ0vQm8ZtW1nB7kYxR5cDpLs2Fa9HgE6oTiKbVwXyU'],
})
