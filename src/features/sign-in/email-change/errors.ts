import { defineErrors } from '../../../platform/errors.ts'

export const emailChangeErrors = defineErrors({
  emailOfTeam: [
    409,
    'team_email_fixed',
    'Team members keep their address',
    'Memberships of the team belong to an address. Ask an owner to invite the new address and to remove the old one.',
  ],
})
