import { type Static, Type } from 'typebox'
import { named } from '../../../platform/schema.ts'
import { serviceIds } from './selection.ts'

const AppGroup = named(
  'AppGroup',
  Type.Object(
    {
      id: Type.Optional(
        Type.String({ description: 'Your own id for the group.', minLength: 1, maxLength: 100, examples: ['sign-in'] }),
      ),
      name: Type.Optional(
        Type.String({ description: 'Heading of the group.', minLength: 1, maxLength: 200, examples: ['Sign-in'] }),
      ),
      appIds: Type.Optional(
        Type.Array(Type.String({ maxLength: 100, examples: ['otp'] }), {
          description: 'Services in the group, in their order.',
          maxItems: 100,
        }),
      ),
    },
    {
      additionalProperties: true,
      description: 'How your dashboard groups services. Any object is allowed, and only these fields are validated.',
    },
  ),
)
export type AppGroup = Static<typeof AppGroup>

const enabledAppIds = Type.Array(Type.Enum([...serviceIds]), {
  maxItems: 100,
  description: 'The services that are on. Removing auth also removes the services that depend on it.',
  examples: [['auth', 'otp', 'passkeys', 'sessions']],
})
const appGroups = Type.Array(AppGroup, {
  maxItems: 50,
  description: 'Groups of services in your dashboard, at most 16 KiB in total.',
})
const sidebarGroupsCollapsible = Type.Boolean({
  description: 'Whether your dashboard lets people collapse the groups.',
})

export const ServiceConfigChange = named(
  'ServiceConfigChange',
  Type.Object(
    {
      enabledAppIds: Type.Optional(enabledAppIds),
      appGroups: Type.Optional(appGroups),
      sidebarGroupsCollapsible: Type.Optional(sidebarGroupsCollapsible),
    },
    { description: 'The fields to change. Omitted fields are not changed.' },
  ),
)
export type ServiceConfigChange = Static<typeof ServiceConfigChange>

export const ServiceConfig = named(
  'ServiceConfig',
  Type.Object(
    { enabledAppIds, appGroups, sidebarGroupsCollapsible },
    { description: 'Which services are on, and how your dashboard shows them.' },
  ),
)
export type ServiceConfig = Static<typeof ServiceConfig>
