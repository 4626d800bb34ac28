import { defineEvents } from '../../../platform/events/events.ts'
import { ServiceConfig } from './schema.ts'

export const serviceEvents = defineEvents({
  configUpdated: [
    'service_config.updated',
    'Services of an organization, or the defaults of its environment, were turned on or off, or regrouped.',
    ServiceConfig,
  ],
})
