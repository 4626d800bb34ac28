import { defineEvents } from '../../platform/events.ts'
import { ServiceConfig } from './schema.ts'

export const serviceEvents = defineEvents({
  configUpdated: ['service_config.updated', 'Services were turned on or off, or regrouped.', ServiceConfig],
})
