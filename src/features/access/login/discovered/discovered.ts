import { Type } from 'typebox'
import { named, nullable } from '../../../../platform/schema.ts'

/** An organization that a proof opens, as discovery answers it. */
export const DiscoveredOrganization = named(
  'DiscoveredOrganization',
  Type.Object(
    {
      subOrgId: Type.String({
        description: 'The organization: send it to the routes that sign in there.',
        format: 'uuid',
      }),
      name: Type.String({ description: 'The organization’s name, for a list to choose from.', examples: ['Acme'] }),
      slug: Type.String({ description: 'Names the organization in URLs of yours.', examples: ['acme'] }),
      state: Type.Enum(['active', 'invited', 'joinable'], {
        description: '`joinable`: a verified domain of the organization lets the person sign up.',
      }),
      requires: nullable(
        Type.Enum(['sso', 'mfa']),
        'What else the organization requires. `mfa`: a second factor, which the person may have to set up.',
      ),
      connection_id: nullable(
        Type.String({ format: 'uuid' }),
        'Where `sso`: the connection for POST /v1/auth/login/sso/start, if one speaks for the address.',
      ),
    },
    { description: 'An organization that the person can enter.' },
  ),
)
