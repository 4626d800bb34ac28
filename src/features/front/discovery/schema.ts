import { type Static, Type } from 'typebox'
import { named } from '../../../platform/schema.ts'
import { DiscoveredOrganization } from '../../access/login/discovered/discovered.ts'
import type { Discovery, Found } from './discovery.ts'

const EXAMPLE = 'dsc_v1.0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce.9mQsVgPeAo3RuIxWyHt6CkZjEn4SGlBv'

export const DiscoveryToken = Type.String({
  description: '`discovery_token` of the proof: a code, a link, a passkey or a social sign-in.',
  minLength: 1,
  maxLength: 8000,
  examples: [EXAMPLE],
})

export const DiscoveryReply = named(
  'Discovery',
  Type.Object({
    discovery_token: Type.String({
      description: 'Token for POST /v1/auth/discovery/exchange. Works once for each of the listed organizations.',
      examples: [EXAMPLE],
    }),
    expires_at: Type.String({ format: 'date-time' }),
    organizations: Type.Array(DiscoveredOrganization, {
      description: 'Organizations that the person can enter. May be empty.',
    }),
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
