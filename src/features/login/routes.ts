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
    handle: async (work) => ({ methods: await listLoginMethods(work) }),
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
    handle: async (work, { query }) => ({
      settings: await authSettings.effective(work),
      ...(query.effective ? { sources: await authSettings.sources(work) } : {}),
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
    handle: async (work, { body }) => {
      await assertSettingsFit(work, body)
      return { settings: await authSettings.update(work, body) }
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
    handle: async (work, { body }) => {
      const defaults = { ...work, directory: accountDefaults(work.directory).directory }
      await assertSettingsFit(defaults, body)
      return { settings: await authSettings.update(defaults, body) }
    },
  }),
]
