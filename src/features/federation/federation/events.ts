import { defineEvents } from '../../../platform/events/events.ts'
import { Identity } from './schema.ts'

export const federationEvents = defineEvents({
  linked: [
    'identity.linked',
    'A person at a provider was linked to a user, who signs in by it from then on.',
    Identity,
  ],
  unlinked: [
    'identity.unlinked',
    'A link to a person at a provider was removed: by itself, or by the first proof of the mailbox.',
    Identity,
  ],
})
