import { Type } from 'typebox'
import { defineEvents } from '../../../platform/events/events.ts'
import { Connection } from './schema.ts'

export const connectionEvents = defineEvents({
  created: ['sso.connection.created', 'A connection to an identity provider was made.', Connection],
  updated: ['sso.connection.updated', 'Fields of a connection other than its status were changed.', Connection],
  activated: ['sso.connection.activated', 'A connection became active: people sign in by it.', Connection],
  deactivated: ['sso.connection.deactivated', 'A connection was switched off. It signs no users in.', Connection],
  testFailed: ['sso.connection.test_failed', 'A test found what does not work: see its `last_test`.', Connection],
  certificateExpiring: [
    'sso.connection.certificate_expiring',
    'The last certificate of a provider expires in 60, 30, 7 or 1 days, or has expired. Sign-ins go on.',
    Type.Object({
      id: Type.String({ description: 'The connection.', format: 'uuid' }),
      name: Type.String({ description: 'The connection’s name.', examples: ['Acme Okta'] }),
      not_after: Type.String({ description: 'When the certificate ends.', format: 'date-time' }),
      days: Type.Integer({ minimum: 0, description: 'Days that are left until then.', examples: [30] }),
    }),
  ],
  certificateRenewed: [
    'sso.connection.certificate_renewed',
    'The metadata of a provider has other certificates: they are used from now on.',
    Connection,
  ],
  keysChanged: [
    'sso.keys.changed',
    'The keys with which an environment signs and decrypts SAML were prepared, activated or retired.',
    Type.Object({
      action: Type.Enum(['prepare', 'activate', 'retire'], {
        description: 'The step that was taken, as in `POST /v1/sso/keys`.',
      }),
    }),
  ],
  deleted: ['sso.connection.deleted', 'A connection was deleted, with its links to users.', Connection],
})
