import { type Static, Type } from 'typebox'
import { serviceIds } from './selection.ts'

const AppGroup = Type.Object(
  {
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    appIds: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
  },
  {
    additionalProperties: true,
    description: 'How your dashboard groups services: any object. These fields are checked where given.',
  },
)
export type AppGroup = Static<typeof AppGroup>

const enabledAppIds = Type.Array(Type.Enum([...serviceIds]), {
  maxItems: 100,
  description: 'The services that are on. Taking auth away takes its dependents with it.',
})
const appGroups = Type.Array(AppGroup, { maxItems: 50, description: 'At most 16 KiB in all.' })
const sidebarGroupsCollapsible = Type.Boolean()

export const ServiceConfigChange = Type.Object({
  enabledAppIds: Type.Optional(enabledAppIds),
  appGroups: Type.Optional(appGroups),
  sidebarGroupsCollapsible: Type.Optional(sidebarGroupsCollapsible),
})
export type ServiceConfigChange = Static<typeof ServiceConfigChange>

export const ServiceConfig = Type.Object({ enabledAppIds, appGroups, sidebarGroupsCollapsible })
export type ServiceConfig = Static<typeof ServiceConfig>
