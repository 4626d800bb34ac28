import { Type } from 'typebox'
import { defineSettingsPart, joinSettings } from '../../../platform/settings/settings.ts'
import { sessionSettings } from '../../access/sessions/sessions.ts'

/** The settings for the rotation of refresh tokens. */
export const tokenSettings = defineSettingsPart(
  'auth_settings',
  Type.Object({
    refresh_reuse_interval_seconds: Type.Integer({
      minimum: 0,
      maximum: 60,
      description:
        'Seconds for which a used refresh token can be sent again, for example after a lost response. The response then has the same new token.',
    }),
  }),
  {
    refresh_reuse_interval_seconds: 10,
  },
)

/** All settings that a refresh needs, including those of sessions, in one read. */
export const refreshSettings = joinSettings(tokenSettings, sessionSettings)
