import { defineEvents } from '../../platform/events.ts'
import { Connection } from './schema.ts'

const active = { data: { status: 'active' } }

export const connectionEvents = defineEvents({
  created: ['sso.connection.created', 'A connection to an identity provider was made.', Connection],
  updated: ['sso.connection.updated', 'Fields of a connection other than its status were changed.', Connection],
  activated: ['sso.connection.activated', 'A connection became active: people sign in by it.', Connection, active],
  deactivated: [
    'sso.connection.deactivated',
    'An active connection got another status: nobody signs in by it.',
    Connection,
  ],
  deleted: ['sso.connection.deleted', 'A connection was deleted, with its links to users.', Connection],
})
