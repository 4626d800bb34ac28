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
        'Wrong passwords from one network (X-End-User-IP) until a lock. From all networks together, five times as many.',
    }),
    lockout_window_seconds: Type.Integer({ minimum: 60, maximum: DAY, description: 'How long wrong passwords count.' }),
    lockout_duration_seconds: Type.Integer({
      minimum: 60,
      maximum: HOUR,
      description: 'Length of the first lock; each further one lasts twice as long, up to an hour.',
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
