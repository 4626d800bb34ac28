import { defineEvents } from '../../../platform/events/events.ts'
import { Passkey } from './schema.ts'

export const passkeyEvents = defineEvents({
  registered: ['passkey.registered', 'A user registered a passkey.', Passkey],
  updated: ['passkey.updated', 'A passkey was renamed, or a sign-in showed that it became backup eligible.', Passkey],
  deleted: [
    'passkey.deleted',
    'A passkey was deleted on its own, or by the first proof of the mailbox. Not recorded when its user is deleted.',
    Passkey,
  ],
})
