import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { named } from '../../../platform/schema.ts'
import { MFA_METHODS } from '../../access/mfa/mfa.ts'

const Id = Type.String({ format: 'uuid' })
const FactorChange = named(
  'FactorChange',
  Type.Object({
    directory_user_id: Id,
    method: Type.Enum(MFA_METHODS, {
      description: 'The factor: `totp` (authenticator app), `sms` (phone) or `backup` (backup codes).',
    }),
  }),
)

export const factorEvents = defineEvents({
  enrolled: ['mfa.enrolled', 'A user confirmed a second factor.', FactorChange],
  removed: [
    'mfa.removed',
    'A second factor of a user was removed, together with every trusted device. Removing an authenticator app also removes the backup codes.',
    FactorChange,
  ],
  backupCodesRegenerated: [
    'mfa.backup_codes.regenerated',
    'The backup codes of a user were replaced.',
    Type.Object({
      directory_user_id: Id,
      codes: Type.Integer({ description: 'Number of new codes.', examples: [10] }),
    }),
  ],
})
