import { Type } from 'typebox'
import { named, nullable } from '../../../../platform/schema.ts'

/** An organization that a proof opens, as discovery answers it. */
export const DiscoveredOrganization = named(
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
