import { type TProperties, Type } from 'typebox'
import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { described, named } from '../../../platform/schema.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import { settingsRoutes } from '../../../platform/settings/settings-routes.ts'
import { LoginMethod, listLoginMethods } from './methods.ts'
import { enforcementFor } from './sso-only/sso-only.ts'

const tag = 'Authentication'

export const loginRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/auth/methods',
    operation: 'auth.listMethods',
    scope: 'auth.login',
    tag,
    summary: 'List sign-in methods',
    description:
      'Lists the sign-in methods whose service is turned on and configured. The list is empty while the service auth is off.',
    reply: Type.Object({
      methods: Type.Array(LoginMethod, {
        description: 'Methods in the order of a sign-in page. Empty while the service `auth` is off.',
      }),
      enforced: Type.Boolean({
        description:
          'Whether single sign-on is enforced (`enforce_sso`). If true, show only single sign-on, and show other methods to exempt users on request.',
        examples: [false],
      }),
    }),
    handle: async (work) => ({
      methods: await listLoginMethods(work),
      enforced: (await enforcementFor(work, null)) === 'bound',
    }),
  }),
]

/**
 * The settings of sign-in, sign-up and sessions, in one family. Each feature folder adds its own fields
 * (`defineSettingsPart`).
 */
export function authSettingsRoutes(family: Settings<TProperties>): Route[] {
  // Written by hand, since a generated example would show the minimum of each field.
  const settings = {
    ...family.defaults,
    allowed_redirect_uris: ['https://app.example.com/auth'],
    session_idle_timeout_seconds: 86_400,
  }
  return settingsRoutes(family, {
    tag,
    noun: 'auth',
    scopes: { read: 'auth.settings.read', write: 'auth.settings.write' },
    get: { path: '/v1/auth/settings', summary: 'Read auth settings' },
    update: { path: '/v1/auth/settings', summary: 'Change auth settings' },
    updateDefaults: {
      path: '/v1/auth/settings/defaults',
      summary: 'Change the default auth settings',
    },
    body: named('AuthSettingsPatch', Type.Object(family.patchBody)),
    reply: named(
      'AuthSettingsReply',
      Type.Object({
        settings: named(
          'AuthSettings',
          described(family.schema, 'How users sign in and up, and how long sessions last.'),
        ),
      }),
    ),
    examples: {
      body: { allowed_redirect_uris: ['https://app.example.com/auth'], session_idle_timeout_seconds: 86_400 },
      reply: { settings },
      sources: { allowed_redirect_uris: 'directory', session_idle_timeout_seconds: 'account' },
    },
    read: async (work) => ({ settings: await family.effective(work) }),
    change: async (work, patch) => ({ settings: await family.update(work, patch) }),
  })
}
