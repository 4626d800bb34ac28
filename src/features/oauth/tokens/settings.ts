import { Type } from 'typebox'
import { defineSettingsPart, joinSettings } from '../../../platform/settings/settings.ts'
import { sessionSettings } from '../../access/sessions/sessions.ts'

/** How refresh tokens are replaced. */
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

/** What a refresh reads, at once: also the settings of sessions. */
export const refreshSettings = joinSettings(tokenSettings, sessionSettings)
