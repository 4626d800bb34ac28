import { defineEvents } from '../../../platform/events/events.ts'
import { Passkey } from './schema.ts'

export const passkeyEvents = defineEvents({
  registered: ['passkey.registered', 'A user registered a passkey.', Passkey],
  updated: ['passkey.updated', 'A passkey was renamed, or a sign-in showed that it became backup eligible.', Passkey],
  deleted: [
    'passkey.deleted',
    'A passkey was deleted, for example by a request or because its user proved the mailbox for the first time. The event is not recorded when the user is deleted.',
    Passkey,
  ],
})
