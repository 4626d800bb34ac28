import { Type } from 'typebox'
import { defineRoute, type Route } from '../../platform/http/route.ts'
import { accountDefaults } from '../../platform/settings.ts'
import { LoginMethod, listLoginMethods } from './methods.ts'
import { AuthSettings, authSettings } from './settings.ts'
import { assertSettingsFit } from './settings-check.ts'

const tag = 'Authentication'
const Sources = Type.Record(Type.String(), Type.Enum(['default', 'account', 'directory']))

export const loginRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/auth/methods',
    scope: 'auth.login',
    tag,
    summary: 'List the ways to sign in',
    description: 'Methods whose service is enabled and configured. Empty while the Auth service is off.',
    reply: Type.Object({ methods: Type.Array(LoginMethod) }),
    handle: async ({ platform, directory }) => ({ methods: await listLoginMethods(platform, directory) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/auth/settings',
    scope: 'auth.settings.read',
    tag,
    summary: 'Read the settings of sign-in, sign-up and sessions',
    description: 'Without subOrgId an org-wide key reads the defaults that its environment’s organizations inherit.',
    query: Type.Object({ effective: Type.Optional(Type.Boolean({ description: 'Adds the source of each value.' })) }),
    reply: Type.Object({ settings: AuthSettings, sources: Type.Optional(Sources) }),
    handle: async ({ platform, directory, input }) => ({
      settings: await authSettings.effective(platform, directory),
      ...(input.query.effective ? { sources: await authSettings.sources(platform, directory) } : {}),
    }),
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/auth/settings',
    scope: 'auth.settings.write',
    tag,
    summary: 'Change the settings of sign-in, sign-up and sessions',
    description: 'null returns a field to the inherited value.',
    body: Type.Object(authSettings.patchBody),
    reply: Type.Object({ settings: AuthSettings }),
    event: 'auth.settings.updated',
    handle: async (context) => {
      await assertSettingsFit(context.platform, context.directory, context.input.body)
      return { settings: await authSettings.update(context, context.directory, context.input.body) }
    },
  }),
  defineRoute({
    method: 'PATCH',
    path: '/v1/auth/settings/defaults',
    scope: 'auth.settings.write',
    directory: 'account',
    tag,
    summary: 'Change the defaults that the environment’s organizations inherit',
    description: 'For org-wide keys. null returns a field to the default of the service.',
    body: Type.Object(authSettings.patchBody),
    reply: Type.Object({ settings: AuthSettings }),
    event: 'auth.settings.updated',
    handle: async (context) => {
      const { directory } = accountDefaults(context.directory)
      await assertSettingsFit(context.platform, directory, context.input.body)
      return { settings: await authSettings.update(context, directory, context.input.body) }
    },
  }),
]
