import { defineErrors } from '../../../platform/errors.ts'
import { MAX_CONNECTIONS } from './limits.ts'

export const connectionErrors = defineErrors({
  notFound: [404, 'connection_not_found', 'Connection not found', 'The organization has no such connection.'],
  notActive: [
    409,
    'connection_not_active',
    'The connection is not active',
    'PATCH its status to active once its test succeeds; until then ?test=true tries a sign-in that ends in a trace.',
  ],
  limitReached: [
    409,
    'connection_limit_reached',
    'The organization has as many connections as allowed',
    `An organization has at most ${MAX_CONNECTIONS} connections: delete one.`,
  ],
  keysConflict: [
    409,
    'sp_keys_conflict',
    'This step of the change of keys is not next',
    'prepare, then activate once every provider knows the next certificate, then retire.',
  ],
  metadataInvalid: [
    422,
    'metadata_invalid',
    'The metadata cannot be used',
    'It is not SAML metadata of an identity provider, or could not be fetched: detail says what is wrong.',
  ],
})
