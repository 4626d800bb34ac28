import { defineEvents } from '../../../platform/events/events.ts'
import { Environment } from './schema.ts'

export const environmentEvents = defineEvents({
  created: ['environment.created', 'A custom environment was created.', Environment],
  updated: ['environment.updated', 'The name or the locale of an environment was changed.', Environment],
})
