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
        'A refresh token that is sent again within this time, as after a lost response, returns the same successor.',
    }),
  }),
  {
    refresh_reuse_interval_seconds: 10,
  },
)

/** All settings that a refresh needs, including those of sessions, in one read. */
export const refreshSettings = joinSettings(tokenSettings, sessionSettings)
