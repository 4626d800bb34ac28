import { type Static, Type } from 'typebox'
import { named, nullable } from '../../../platform/schema.ts'
import type { Discovery, Found } from './discovery.ts'

const DiscoveredOrganization = named(
  'DiscoveredOrganization',
  Type.Object({
    subOrgId: Type.String({ format: 'uuid' }),
    name: Type.String({ examples: ['Acme'] }),
    slug: Type.String({ examples: ['acme'] }),
    state: Type.Enum(['active', 'invited', 'joinable'], {
      description: '`joinable`: a verified domain of the organization lets the person sign up.',
    }),
    requires: nullable(
      Type.Enum(['sso', 'mfa']),
      'What is asked of the person besides; `mfa`: a second factor, which they may have to set up.',
    ),
    connection_id: nullable(
      Type.String({ format: 'uuid' }),
      'Where `sso`: the connection for POST /v1/auth/login/sso/start, if one speaks for the address.',
    ),
  }),
)

export const DiscoveryToken = Type.String({ minLength: 1, maxLength: 2000, examples: ['dsc_v1.0198…'] })

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
