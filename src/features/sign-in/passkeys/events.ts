import { defineEvents } from '../../../platform/events/events.ts'
import { Passkey } from './schema.ts'

export const passkeyEvents = defineEvents({
  registered: ['passkey.registered', 'A user registered a passkey.', Passkey],
  updated: [
    'passkey.updated',
    'A passkey was given another name, or became backup eligible, which a sign-in with it shows.',
    Passkey,
  ],
  deleted: [
    'passkey.deleted',
    'A passkey was deleted on its own or by the first proof of the mailbox, not with its user.',
    Passkey,
  ],
})
