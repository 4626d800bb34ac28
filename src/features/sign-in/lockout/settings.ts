import { Type } from 'typebox'
import { defineSettingsPart } from '../../../platform/settings/settings.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/** When wrong passwords lock an address, and for how long. */
export const lockoutSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    lockout_enabled: Type.Boolean({ description: 'Whether wrong passwords lock an address.' }),
    lockout_max_attempts: Type.Integer({
      minimum: 3,
      maximum: 100,
      description:
        'Wrong passwords from one network (X-End-User-IP) that lock the address for that network. Five times as many from all networks together lock it for all networks.',
    }),
    lockout_window_seconds: Type.Integer({
      minimum: 60,
      maximum: DAY,
      description: 'Seconds for which a wrong password counts towards a lock.',
    }),
    lockout_duration_seconds: Type.Integer({
      minimum: 60,
      maximum: HOUR,
      description: 'Seconds that the first lock lasts. Each further lock lasts twice as long, up to an hour.',
    }),
    lockout_scope: Type.Enum(['password', 'all'], {
      description: 'What a lock refuses. `password`: passwords. `all`: also codes, links, passkeys and refresh.',
    }),
  }),
  {
    lockout_enabled: true,
    lockout_max_attempts: 10,
    lockout_window_seconds: 900,
    lockout_duration_seconds: 900,
    lockout_scope: 'password',
  },
)
