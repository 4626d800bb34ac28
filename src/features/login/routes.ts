import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { settingsRoutes } from '../../platform/http/settings-routes.ts'
import { LoginMethod, listLoginMethods } from './methods.ts'
import { AuthSettings, AuthSettingsPatch, authSettings, defaultAuthSettings } from './settings.ts'
import { assertSettingsFit } from './settings-check.ts'

const tag = 'Authentication'
// A composed example would show the minimum of each field.
const settings = {
  ...defaultAuthSettings,
  allowed_redirect_uris: ['https://app.example.com/auth'],
  session_idle_timeout_seconds: 86_400,
}

export const loginRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/auth/methods',
    operation: 'auth.listMethods',
    scope: 'auth.login',
    tag,
    summary: 'List sign-in methods',
    description: 'Methods whose service is enabled and configured. Empty while the Auth service is off.',
    reply: Type.Object({ methods: Type.Array(LoginMethod) }),
    handle: async (work) => ({ methods: await listLoginMethods(work) }),
  }),
  ...settingsRoutes(authSettings, {
    tag,
    noun: 'auth',
    scopes: { read: 'auth.settings.read', write: 'auth.settings.write' },
    get: { path: '/v1/auth/settings', summary: 'Read sign-in, sign-up and session settings' },
    update: { path: '/v1/auth/settings', summary: 'Change sign-in, sign-up and session settings' },
    updateDefaults: {
      path: '/v1/auth/settings/defaults',
      summary: 'Change the settings that the environment’s organizations inherit',
    },
    body: AuthSettingsPatch,
    reply: Type.Object({ settings: AuthSettings }),
    examples: {
      body: { allowed_redirect_uris: ['https://app.example.com/auth'], session_idle_timeout_seconds: 86_400 },
      reply: { settings },
      sources: { allowed_redirect_uris: 'directory', session_idle_timeout_seconds: 'account' },
    },
    read: async (work) => ({ settings: await authSettings.effective(work) }),
    async change(work, patch) {
      await assertSettingsFit(work, patch)
      return { settings: await authSettings.update(work, patch) }
    },
  }),
]
