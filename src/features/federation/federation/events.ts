import { defineEvents } from '../../../platform/events/events.ts'
import { Identity } from './schema.ts'

export const federationEvents = defineEvents({
  linked: [
    'identity.linked',
    'An identity at a provider was linked to a user. The user can sign in with it.',
    Identity,
  ],
  unlinked: [
    'identity.unlinked',
    'An identity was unlinked from a user, either by a request or because the user proved the mailbox for the first time.',
    Identity,
  ],
})
