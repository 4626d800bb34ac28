import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { Connection } from './schema.ts'

export const connectionEvents = defineEvents({
  created: ['sso.connection.created', 'A connection to an identity provider was created.', Connection],
  updated: ['sso.connection.updated', 'Fields of a connection other than its status were changed.', Connection],
  activated: ['sso.connection.activated', 'A connection was activated. Users can sign in through it.', Connection],
  deactivated: [
    'sso.connection.deactivated',
    'A connection was deactivated. Users cannot sign in through it.',
    Connection,
  ],
  testFailed: [
    'sso.connection.test_failed',
    'A test of a connection found a problem. `last_test` has the details.',
    Connection,
  ],
  certificateExpiring: [
    'sso.connection.certificate_expiring',
    'The last certificate of a connection’s provider expires in 60, 30, 7 or 1 days, or has expired. Sign-ins through the connection still work.',
    Type.Object({
      id: Type.String({ description: 'The connection.', format: 'uuid' }),
      name: Type.String({ description: 'The connection’s name.', examples: ['Acme Okta'] }),
      not_after: Type.String({ description: 'When the certificate expires.', format: 'date-time' }),
      days: Type.Integer({ minimum: 0, description: 'Days until the token expires.', examples: [30] }),
    }),
  ],
  certificateRenewed: [
    'sso.connection.certificate_renewed',
    'The metadata of a connection’s provider contained new certificates, which are used from now on.',
    Connection,
  ],
  keysChanged: [
    'sso.keys.changed',
    'The keys that sign and decrypt SAML for an environment were prepared, activated or retired.',
    Type.Object({
      action: Type.Enum(['prepare', 'activate', 'retire'], {
        description: 'The step that was taken, as in `POST /v1/sso/keys`.',
      }),
    }),
  ],
  deleted: ['sso.connection.deleted', 'A connection was deleted, together with its links to users.', Connection],
})
