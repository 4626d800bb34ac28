import { defineEvents } from '../../../platform/events/events.ts'
import { SocialProvider } from './schema.ts'

export const socialEvents = defineEvents({
  updated: [
    'social_provider.updated',
    'A social provider of an organization was turned on or off, or its credentials changed.',
    SocialProvider,
  ],
})
