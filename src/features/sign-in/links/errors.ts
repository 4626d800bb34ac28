import { Type } from 'typebox'
import { defineErrors } from '../../../platform/errors.ts'

export const linkErrors = defineErrors({
  tokenInvalid: [
    400,
    'token_invalid',
    'The link is not valid',
    'The link was never mailed to this address, was used or withdrawn, or a newer one was sent. Request a new link.',
    {
      reason: Type.Enum(['used', 'withdrawn'], {
        description: 'Sent only if the link was a real one: whether it was used or withdrawn.',
      }),
    },
  ],
  tokenExpired: [400, 'token_expired', 'The link has expired', 'The link has expired. Request a new one.'],
})

/** Errors about the delivery of a link. */
export const deliveryErrors = defineErrors({
  teamLinkWithheld: [
    403,
    'team_link_withheld',
    'Team links are only mailed',
    'No response contains a link of a team member. Omit deliver, or print the link on the server: npx watchword members link.',
  ],
})
