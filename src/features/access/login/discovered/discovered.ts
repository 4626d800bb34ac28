import { Type } from 'typebox'
import { named, nullable } from '../../../../platform/schema.ts'

/** An organization that a proof can enter, as discovery returns it. */
export const DiscoveredOrganization = named(
  'DiscoveredOrganization',
  Type.Object(
    {
      subOrgId: Type.String({
        description: 'The organization. Send it as `subOrgId` to sign in there.',
        format: 'uuid',
      }),
      name: Type.String({ description: 'The organization’s name, for a list to choose from.', examples: ['Acme'] }),
      slug: Type.String({ description: 'Identifies the organization in your URLs.', examples: ['acme'] }),
      state: Type.Enum(['active', 'invited', 'joinable'], {
        description: '`joinable`: a verified domain of the organization lets the person sign up.',
      }),
      requires: nullable(
        Type.Enum(['sso', 'mfa']),
        'What else the organization requires. `sso`: single sign-on. `mfa`: a second factor, which the person may have to enroll first.',
      ),
      connection_id: nullable(
        Type.String({ format: 'uuid' }),
        'Only if `requires` contains `sso`: the connection for POST /v1/auth/login/sso/start. Absent if no connection serves the address.',
      ),
    },
    { description: 'An organization that the person can enter.' },
  ),
)
