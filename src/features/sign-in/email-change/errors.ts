import { defineErrors } from '../../../platform/errors.ts'

export const emailChangeErrors = defineErrors({
  emailOfTeam: [
    409,
    'team_email_fixed',
    'Team members cannot change their address',
    'A team membership is tied to one email address. Ask an owner to invite the new address and to remove the membership of the old one.',
  ],
})
