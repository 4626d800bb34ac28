import { type Static, Type } from 'typebox'
import { named } from '../../../platform/schema.ts'
import { DiscoveredOrganization } from '../../access/login/discovered/discovered.ts'
import type { Discovery, Found } from './discovery.ts'

export const DiscoveryToken = Type.String({ minLength: 1, maxLength: 8000, examples: ['dsc_v1.0198…'] })

export const DiscoveryReply = named(
  'Discovery',
  Type.Object({
    discovery_token: Type.String({
      description: 'Good once for each of the organizations.',
      examples: ['dsc_v1.0198…'],
    }),
    expires_at: Type.String({ format: 'date-time' }),
    organizations: Type.Array(DiscoveredOrganization),
  }),
)

function toOrganization({ connectionId, ...found }: Found): Static<typeof DiscoveredOrganization> {
  return { ...found, connection_id: connectionId }
}

export function toDiscovery({ token, expiresAt, organizations }: Discovery): Static<typeof DiscoveryReply> {
  return {
    discovery_token: token,
    expires_at: expiresAt.toISOString(),
    organizations: organizations.map(toOrganization),
  }
}
