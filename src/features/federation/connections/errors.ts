import { defineErrors } from '../../../platform/errors.ts'
import { MAX_CONNECTIONS } from './limits.ts'

export const connectionErrors = defineErrors({
  notFound: [404, 'connection_not_found', 'Connection not found', 'The organization has no such connection.'],
  notActive: [
    409,
    'connection_not_active',
    'The connection is not active',
    'Set the connection’s status to active after its test succeeds. Until then, send ?test=true: the sign-in then creates a trace instead of a session.',
  ],
  limitReached: [
    409,
    'connection_limit_reached',
    'Too many connections',
    `An organization has at most ${MAX_CONNECTIONS} connections. Delete one first.`,
  ],
  keysConflict: [
    409,
    'sp_keys_conflict',
    'Key rollover step out of order',
    'Take the steps in this order: prepare, then activate (when every provider has the next certificate), then retire.',
  ],
  metadataInvalid: [
    422,
    'metadata_invalid',
    'The metadata cannot be used',
    'The document is not SAML metadata of an identity provider, or it could not be fetched. detail says what is wrong.',
  ],
})
